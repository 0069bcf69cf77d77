/**
 * Whose turn it is at a host, across all runs and all fetchers. What this process knows is asked first;
 * Redis is asked only where there is a delay to share, and while it is away the local clock goes on alone:
 * less polite between processes, never slower and never wrong.
 *
 * A pause is counted from when a request really leaves, which on a new connection is later than its turn:
 * counted from the turn, the next one could follow it at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BackOff } from '../domain/back-off.ts'
import type { LocalClock } from './local-clock.ts'
import type { SharedClock } from './shared-clock.ts'

/** A run that wants to ask a host, with so many milliseconds between its own requests there. */
export type Asking = {
  /** With its port. */
  host: string
  /** With its colon. The pauses of a host are the same by both, but each asks for itself to be left alone. */
  protocol: string
  runId: number
  delayMs: number
}

export type HostClock = {
  /** 0 when the run may ask the host now and is taken to do so; else milliseconds until it is worth asking again. */
  take(asking: Asking): Promise<number>
  /** The request that was allowed to leaves now, or never will. */
  sent(asking: Asking): void
  /** The answer begins: the request has surely been there by now, and the pause is counted from here. */
  answered(asking: Asking): void
  /** The host asked to be left alone for this long. */
  backOff(whom: BackOff, ms: number): Promise<void>
}

type Leaving = { since: number; left: PromiseWithResolvers<void> }

/** A connection that takes longer to be made holds nobody else up: most likely it never will be. */
const longestLeavingMs = 2_000
/** The way to a host takes now more and now less; it shall see its whole delay all the same. */
const jitterMs = 15
const slowAnswerMs = 10
/** Leaving later than this after its turn is worth telling the other processes. */
const lateMs = 2

/** The same with the pause that is kept, in place of the delay that is wanted. */
const paused = (asking: Asking): Asking =>
  asking.delayMs === 0 ? asking : { ...asking, delayMs: asking.delayMs + jitterMs }

export function createHostClock(local: LocalClock, shared: SharedClock): HostClock {
  const leaving = new Map<string, Leaving>()

  return {
    async take(asking) {
      const { host, delayMs } = asking
      if (delayMs === 0) return local.waitOf(asking)
      await departureAt(host)
      const pace = paused(asking)
      const localWait = () => local.waitOf(pace)
      const wait = localWait()
      if (wait > 0) return wait
      // Somebody of this process may have gone while Redis did not answer, so without it we look again.
      const askedAt = performance.now()
      const sharedWait = await shared.take(pace).catch(localWait)
      if (sharedWait > 0) return sharedWait
      // The slot began when Redis gave it; where that was a while ago, it begins again now.
      if (performance.now() - askedAt > slowAnswerMs) await shared.moved(pace).catch(noOpinion)
      local.asked(pace)
      leaving.set(host, { since: performance.now(), left: Promise.withResolvers() })
      return 0
    },

    sent(asking) {
      const { host, delayMs } = asking
      if (delayMs === 0) return
      const pace = paused(asking)
      local.asked(pace)
      const departure = leaving.get(host)
      if (departure === undefined) return
      leaving.delete(host)
      departure.left.resolve()
      if (performance.now() - departure.since > lateMs) shared.moved(pace).catch(noOpinion)
    },

    answered(asking) {
      if (asking.delayMs === 0) return
      const pace = paused(asking)
      local.asked(pace)
      shared.moved(pace).catch(noOpinion)
    },

    async backOff(whom, ms) {
      local.backOff(whom, ms)
      await shared.backOff(whom, ms).catch(noOpinion)
    },
  }

  async function departureAt(host: string): Promise<void> {
    const departure = leaving.get(host)
    if (departure)
      await Promise.race([departure.left.promise, sleep(longestLeavingMs, undefined, { ref: false })])
  }
}

/** Its absence is told once, where it is connected. */
const noOpinion = () => {}
