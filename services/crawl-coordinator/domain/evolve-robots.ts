/** What the events of robots.txt change in a run: its pages wait for it, and join their line once it is known. */
import type { FoundUrl } from '@tidemark/contracts/run'
import { roomOf } from '@tidemark/robots/bounded'
import type { Changes } from './evolve.ts'
import { joinLine } from './lines.ts'
import { originOf, type Running } from './run.ts'
import { handedOut, heardOf } from './silence.ts'

export const robotsChanges: Changes = {
  RobotsOrdered: (run, { origin, attempt, again }, at) => {
    handedOut(run, at, again)
    run.robots.set(origin, { state: 'ordered', attempt })
  },
  RobotsRetried: (run, { origin, attempt, notBefore }, at) => {
    heardOf(run, at)
    run.robots.set(origin, { state: 'waiting', attempt, notBefore: Date.parse(notBefore) })
  },
  RobotsRead: (run, { origin, verdict, status, group }, at) => {
    run.robots.set(origin, { state: 'read', verdict, status, group })
    run.rulesText += roomOf(group)
    heardOf(run, at)
    releaseOrigin(run, origin)
  },
  RobotsFailed: (run, { origin, reason }, at) => {
    run.robots.set(origin, { state: 'failed', reason })
    heardOf(run, at)
    releaseOrigin(run, origin)
  },
}

/** Whether nothing is left to be known before a page may go out. */
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
    if (run.pending.has(key)) joinLine(run, key, origin)
  }
  run.awaitingRobots.delete(origin)
}
