/**
 * Measures how long the event loop of this process was recently stalled, by its own work or by a lack of CPU. A
 * timeout at such a time is caused by this process, not by a server.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 50
/** Minimum milliseconds of a stall, because timers are normally late by some milliseconds. */
const countedMs = 50
const keptMs = 60_000

/** If the process was stalled for `muchMs` of the last `recentMs`, a late response says nothing about the server. */
const recentMs = 5_000
const muchMs = 1_000

/** A wait is extended by the time that was lost, up to this multiple of its length. */
const maxFactor = 4

const stalls: { endedAt: number; ms: number }[] = []
let timer: NodeJS.Timeout | null = null
let lookedAt = 0

/** Starts to measure. Further calls in the same process have no effect. */
export function measureEventLoopStalls(): void {
  if (timer !== null) return
  lookedAt = performance.now()
  timer = setInterval(look, everyMs).unref()
}

function look(): void {
  const now = performance.now()
  const ms = now - lookedAt - everyMs
  if (ms >= countedMs) stalls.push({ endedAt: now, ms })
  while (stalls[0] !== undefined && now - stalls[0].endedAt > keptMs) stalls.shift()
  lookedAt = now
}

/** Returns the stalled milliseconds since a value of `performance.now`, at most those of the last minute. */
function stalledSince(at: number): number {
  if (timer === null) return 0
  const now = performance.now()
  const underWay = { endedAt: now, ms: now - lookedAt - everyMs }
  return [...stalls, ...(underWay.ms >= countedMs ? [underWay] : [])].reduce(
    (sum, { endedAt, ms }) => sum + Math.max(0, Math.min(ms, endedAt - at)),
    0,
  )
}

/** Returns whether a stall of this process may explain a timeout now. */
export const isHeldUp = (): boolean => stalledSince(performance.now() - recentMs) >= muchMs

let loggedAt = Number.NEGATIVE_INFINITY

/** Returns whether to report a stall now: once per process in this interval. */
export function mayLogStall(everyMs: number): boolean {
  const now = performance.now()
  if (now - loggedAt < everyMs) return false
  loggedAt = now
  return true
}

/** Returns the stalls of the last minute in words, for logs and probes. */
export const stallInWords = (): string =>
  `event loop stalled for ${Math.round(stalledSince(performance.now() - keptMs))} ms of the last minute`

/** Resolves when the event loop has run for this time, or after `maxFactor` times as long. */
export async function sleepAwake(ms: number, signal?: AbortSignal): Promise<void> {
  const began = performance.now()
  for (let left = ms; left > 1; ) {
    await sleep(left, undefined, { ...(signal && { signal }) })
    const passed = performance.now() - began
    left = Math.min(ms - (passed - stalledSince(began)), ms * maxFactor - passed)
  }
}
