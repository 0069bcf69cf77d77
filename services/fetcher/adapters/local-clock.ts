/**
 * The host clock of this process, based on its own requests. It responds without waiting, saves most requests to the
 * shared clock, and replaces it while Redis is away.
 */
import { type BackOff, backOffName } from '../domain/back-off.ts'
import { never, type Pace, slotOf } from '../domain/slot.ts'

/** A run that is about to send a request to a host, and the delay between its own requests there in milliseconds. */
export type Asking = {
  /** Host with the port. */
  host: string
  /** `http:` or `https:`. Both protocols share the pauses of a host, but each has its own Retry-After. */
  protocol: string
  runId: number
  delayMs: number
}

export type LocalClock = {
  /** Returns milliseconds until the run may send a request to the host; 0 is now. Changes nothing. */
  waitOf(asking: Asking): number
  /** Records that the run sends a request to the host now. */
  asked(asking: Asking): void
  /** Blocks the host for this time in milliseconds. */
  backOff(whom: BackOff, ms: number): void
}

type HostPace = Pick<Pace, 'last' | 'gap'>
type Own = { last: number; delayMs: number }

/** Number of entries above which those that block no run are dropped. */
const sweepAbove = 10_000

/**
 * Returns an empty clock.
 * @param now milliseconds on a clock that never goes back
 */
export function createLocalClock(now: () => number = () => performance.now()): LocalClock {
  const hosts = new Map<string, HostPace>()
  const runs = new Map<string, Own>()
  const backOffs = new Map<string, number>()
  let sweepNext = sweepAbove

  return {
    waitOf(asking) {
      const { host, runId, delayMs } = asking
      const { last, gap } = hosts.get(host) ?? never
      const ownLast = runs.get(ownKey(host, runId))?.last ?? -Infinity
      return Math.max(0, Math.ceil(slotOf({ last, gap, ownLast, until: untilOf(asking) }, delayMs) - now()))
    },
    asked({ host, runId, delayMs }) {
      const at = now()
      hosts.set(host, { last: at, gap: delayMs })
      runs.set(ownKey(host, runId), { last: at, delayMs })
      sweepIfMany(at)
    },
    backOff(whom, ms) {
      const name = backOffName(whom)
      const at = now()
      backOffs.set(name, Math.max(backOffs.get(name) ?? 0, at + ms))
      sweepIfMany(at)
    },
  }

  function untilOf({ host, protocol, runId }: Asking): number {
    if (backOffs.size === 0) return -Infinity
    const everybodys = backOffs.get(backOffName({ host, protocol, runId: null })) ?? -Infinity
    return Math.max(everybodys, backOffs.get(backOffName({ host, protocol, runId })) ?? -Infinity)
  }

  /**
   * If most entries still block a run, the next sweep is further away, so that entries are not scanned for every new
   * one.
   */
  function sweepIfMany(at: number): void {
    const size = () => hosts.size + runs.size + backOffs.size
    if (size() <= sweepNext) return
    for (const [host, { last, gap }] of hosts) if (last + gap < at) hosts.delete(host)
    for (const [own, { last, delayMs }] of runs) if (last + delayMs < at) runs.delete(own)
    for (const [name, until] of backOffs) if (until < at) backOffs.delete(name)
    sweepNext = Math.max(sweepAbove, 2 * size())
  }
}

const ownKey = (host: string, runId: number): string => `${host} ${runId}`
