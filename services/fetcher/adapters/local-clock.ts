/**
 * The host clock of this process, based on its own requests. It responds without waiting, saves most requests to the
 * shared clock, and replaces it while Redis is away.
 */
import { type BackOff, backOffName, ownBackOff } from '../domain/back-off.ts'
import { earliestRequestAt, type HostTimes, noRequests } from '../domain/slot.ts'

/** A run that is about to send a request to a host, and the delay between its own requests there in milliseconds. */
export type HostRequest = {
  /** Host with the port. */
  host: string
  /** `http:` or `https:`. Both protocols share the pauses of a host, but each has its own Retry-After. */
  protocol: string
  runId: number
  /** The run whose back-offs apply, if it is not `runId`: other work for a run has its own negative id. */
  backOffRunId?: number | undefined
  delayMs: number
  /** Maximum milliseconds for which this request delays requests that have another delay; `delayMs` by default. */
  gapMs?: number | undefined
}

/** Returns the maximum milliseconds for which a request delays later requests. */
export const gapOf = ({ delayMs, gapMs = delayMs }: HostRequest): number => Math.max(delayMs, gapMs)

export type LocalClock = {
  /** Returns milliseconds until the run may send a request to the host; 0 is now. Changes nothing. */
  waitOf(request: HostRequest): number
  /** Records that the run sends a request to the host now. */
  recordSent(request: HostRequest): void
  /** Blocks the host for this time in milliseconds. */
  backOff(target: BackOff, ms: number): void
}

type HostTime = Pick<HostTimes, 'last' | 'gap'>
type Own = { last: number; delayMs: number }

/** Above this number of entries, the clock drops the entries that block no run. */
const sweepAbove = 10_000

/**
 * Returns an empty clock.
 * @param now milliseconds on a clock that never goes back
 */
export function createLocalClock(now: () => number = () => performance.now()): LocalClock {
  const hosts = new Map<string, HostTime>()
  const runs = new Map<string, Own>()
  const backOffs = new Map<string, number>()
  let sweepNext = sweepAbove

  return {
    waitOf(request) {
      const { host, runId, delayMs } = request
      const { last, gap } = hosts.get(host) ?? noRequests
      const ownLast = runs.get(ownKey(host, runId))?.last ?? -Infinity
      return Math.max(
        0,
        Math.ceil(earliestRequestAt({ last, gap, ownLast, until: untilOf(request) }, delayMs) - now()),
      )
    },
    recordSent(request) {
      const { host, runId, delayMs } = request
      const at = now()
      hosts.set(host, { last: at, gap: gapOf(request) })
      runs.set(ownKey(host, runId), { last: at, delayMs })
      sweepIfMany(at)
    },
    backOff(target, ms) {
      const name = backOffName(target)
      const at = now()
      backOffs.set(name, Math.max(backOffs.get(name) ?? 0, at + ms))
      sweepIfMany(at)
    },
  }

  function untilOf(request: HostRequest): number {
    if (backOffs.size === 0) return -Infinity
    const { host, protocol } = request
    const untilForAll = backOffs.get(backOffName({ host, protocol, runId: null })) ?? -Infinity
    return Math.max(untilForAll, backOffs.get(backOffName(ownBackOff(request))) ?? -Infinity)
  }

  /**
   * Drops entries that block no run, if there are many. If most entries still block a run, the next sweep is further
   * away, so that entries are not scanned for every new one.
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
