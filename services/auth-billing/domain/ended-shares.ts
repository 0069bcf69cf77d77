/** Records which shares of a project have been ended. The list has a limit, because each look-up of a key returns it. */
import { type AccountEvent, everyRun, maxShareHours, type SharesEnded } from '@tidemark/contracts/account'
import type { Timestamp } from '@tidemark/contracts/primitives'
import { isActive, type KeyRing } from './key-ring.ts'

/** Maximum number of runs. Beyond it, one end for every run replaces the earliest ends, so that no ended share opens again. */
export const maxEnded = 200
const hourMs = 3_600_000

/** Ends the shares of a run. Returns the event, or `unauthorized` if the key of the request is no longer valid. */
export function endSharesOf(
  ring: KeyRing,
  { runId, by, at }: { runId: number; by: string; at: Timestamp },
): AccountEvent[] | 'unauthorized' {
  if (!ring.keys.some(held => held.prefix === by && isActive(held, at))) return 'unauthorized'
  const { projectId, sharesEnded } = ring
  const kept = withEnd(sharesEnded, runId, at)
  const every = kept[everyRun] ?? null
  const forgotten = Object.keys(sharesEnded).filter(run => kept[run] === undefined)
  const isSame = every === (sharesEnded[everyRun] ?? null)
  return [
    {
      type: 'CrawlSharesEnded',
      data: { projectId, runId, by, at, everyRun: isSame ? null : every, forgotten },
    },
  ]
}

/** Adds an end, and drops ends that are older than the maximum lifetime of a share. */
function withEnd(before: SharesEnded, runId: number, at: Timestamp): SharesEnded {
  const since = Date.parse(at) - maxShareHours * hourMs
  const all: SharesEnded = { ...before, [runId]: at }
  const current = Object.entries(all).filter(([, time]) => Date.parse(time) >= since)
  const newestFirst = current.sort(([, a], [, b]) => Date.parse(b) - Date.parse(a))
  const [latestOfRest] = newestFirst.slice(maxEnded)
  const kept: SharesEnded = Object.fromEntries(newestFirst.slice(0, maxEnded))
  if (latestOfRest === undefined || (kept[everyRun] ?? '') >= latestOfRest[1]) return kept
  return { ...kept, [everyRun]: latestOfRest[1] }
}
