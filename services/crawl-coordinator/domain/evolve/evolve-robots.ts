/** Applies the events about robots.txt to a run: pages wait for the file, and join their queue once it is known. */
import type { FoundUrl } from '@tidemark/contracts/run'
import { memoryOf } from '@tidemark/robots/bounded'
import { enqueue } from '../queues.ts'
import { originOf, type Running } from '../run.ts'
import { ordersSent, outcomeReceived } from '../silence.ts'
import type { Changes } from './changes.ts'
import type { Robots } from './robots-state.ts'

export const robotsChanges: Changes = {
  RobotsOrdered: (run, { origin, attempt, again }, at) => {
    ordersSent(run, at, again)
    run.robots.set(origin, { state: 'ordered', attempt, ...unusedOf(run, origin) })
  },
  RobotsRetried: (run, { origin, attempt, notBefore }, at) => {
    outcomeReceived(run, at)
    const waiting = { state: 'waiting' as const, attempt, notBefore: Date.parse(notBefore) }
    run.robots.set(origin, { ...waiting, ...unusedOf(run, origin) })
  },
  RobotsRead: (run, { origin, verdict, status, group }, at) => {
    const rules = { verdict, status, group }
    run.robots.set(origin, {
      state: 'read',
      ...rules,
      attempt: attemptOf(run, origin),
      ...unusedOf(run, origin),
    })
    run.rulesText += memoryOf(group)
    outcomeReceived(run, at)
    releaseOrigin(run, origin)
  },
  RobotsFailed: (run, { origin, reason }, at) => {
    const attempts = attemptOf(run, origin)
    run.robots.set(origin, { state: 'failed', reason, attempts, ...unusedOf(run, origin) })
    outcomeReceived(run, at)
    releaseOrigin(run, origin)
  },
}

/** Returns the number of the last attempt at the robots.txt of an origin. */
function attemptOf({ robots }: Running, origin: string): number {
  const known = robots.get(origin)
  return known !== undefined && 'attempt' in known ? known.attempt : 1
}

function unusedOf({ robots }: Running, origin: string): Pick<Robots, 'unused'> {
  const unused = robots.get(origin)?.unused
  return unused === undefined ? {} : { unused }
}

/** Returns whether the robots.txt of a page is known, so that the page may be ordered. */
export const mayBeOrdered = ({ settings, robots }: Running, url: string): boolean => {
  if (!settings.respectRobots) return true
  const state = robots.get(originOf(url))?.state
  return state === 'read' || state === 'failed'
}

/** Lets a page wait until the robots.txt of its origin is known. */
export function awaitRobots(run: Running, { key, url }: FoundUrl): void {
  const origin = originOf(url)
  const waiting = run.awaitingRobots.get(origin)
  if (waiting) waiting.add(key)
  else run.awaitingRobots.set(origin, new Set([key]))
}

function releaseOrigin(run: Running, origin: string): void {
  for (const key of run.awaitingRobots.get(origin) ?? []) {
    if (run.pending.has(key)) enqueue(run, key, origin)
  }
  run.awaitingRobots.delete(origin)
}
