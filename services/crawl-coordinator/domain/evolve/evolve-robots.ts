/** Applies the events about robots.txt to a run: pages wait for the file, and join their queue once it is known. */
import type { FoundUrl } from '@tidemark/contracts/run'
import { memoryOf } from '@tidemark/robots/bounded'
import { enqueue } from '../queues.ts'
import { originOf, type Running } from '../run.ts'
import { ordersSent, outcomeReceived } from '../silence.ts'
import type { Changes } from './changes.ts'
import type { RobotsAttempt } from './robots-state.ts'

export const robotsChanges: Changes = {
  RobotsOrdered: (run, { origin, attempt, again }, at) => {
    ordersSent(run, at, again)
    run.robots.set(origin, { ...attemptAt(run, origin), state: 'ordered', attempt })
  },
  RobotsRetried: (run, { origin, attempt, notBefore }, at) => {
    outcomeReceived(run, at)
    const waiting = { state: 'waiting' as const, attempt, notBefore: Date.parse(notBefore) }
    run.robots.set(origin, { ...attemptAt(run, origin), ...waiting })
  },
  RobotsRead: (run, { origin, verdict, status, group }, at) => {
    run.robots.set(origin, { ...attemptAt(run, origin), state: 'read', verdict, status, group })
    run.rulesText += memoryOf(group)
    outcomeReceived(run, at)
    releaseOrigin(run, origin)
  },
  RobotsFailed: (run, { origin, reason }, at) => {
    run.robots.set(origin, { ...attemptAt(run, origin), state: 'failed', reason })
    outcomeReceived(run, at)
    releaseOrigin(run, origin)
  },
}

/** Returns the current or last attempt at the robots.txt of an origin. */
function attemptAt({ robots }: Running, origin: string): RobotsAttempt {
  const { attempt = 1, unused } = robots.get(origin) ?? {}
  return { attempt, ...(unused !== undefined && { unused }) }
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
