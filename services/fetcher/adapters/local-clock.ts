/**
 * The host clock as far as this process knows: what it has asked itself. It answers without waiting, spares
 * most questions to the shared clock, and stands in for it while Redis is away.
 */
import { never, type Pace, slotOf } from '../domain/slot.ts'

export type LocalClock = {
  /** Milliseconds until the run may ask the host; 0 is now. Changes nothing. */
  waitOf(host: string, runId: number, delayMs: number): number
  /** The run asks the host now. */
  asked(host: string, runId: number, delayMs: number): void
  /** Nobody asks the host for this long. */
  backOff(host: string, ms: number): void
}

type HostPace = Omit<Pace, 'ownLast'>
type Own = { last: number; delayMs: number }

/** Above this many the past is forgotten; only what still holds anybody back is kept. */
const sweepAbove = 10_000

/** @param now milliseconds on a clock that never goes back */
export function createLocalClock(now: () => number = () => performance.now()): LocalClock {
  const hosts = new Map<string, HostPace>()
  const runs = new Map<string, Own>()

  return {
    waitOf(host, runId, delayMs) {
      const pace = {
        ...(hosts.get(host) ?? never),
        ownLast: runs.get(ownKey(host, runId))?.last ?? -Infinity,
      }
      return Math.max(0, Math.ceil(slotOf(pace, delayMs) - now()))
    },
    asked(host, runId, delayMs) {
      const at = now()
      hosts.set(host, { last: at, gap: delayMs, until: hosts.get(host)?.until ?? -Infinity })
      runs.set(ownKey(host, runId), { last: at, delayMs })
      sweepIfMany(at)
    },
    backOff(host, ms) {
      const pace = hosts.get(host) ?? never
      hosts.set(host, { ...pace, until: Math.max(pace.until, now() + ms) })
      sweepIfMany(now())
    },
  }

  function sweepIfMany(at: number): void {
    if (hosts.size + runs.size <= sweepAbove) return
    for (const [host, { last, gap, until }] of hosts) if (Math.max(last + gap, until) < at) hosts.delete(host)
    for (const [own, { last, delayMs }] of runs) if (last + delayMs < at) runs.delete(own)
  }
}

const ownKey = (host: string, runId: number): string => `${host} ${runId}`
