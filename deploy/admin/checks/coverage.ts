/** Checks that every URL of a run has exactly one outcome, and that no URL of an ended run is pending. */
import type { Totals } from '@tidemark/contracts/run'
import { noTotals } from '@tidemark/crawl-coordinator/domain/account'
import { totals } from '@tidemark/crawl-coordinator/domain/run'
import type { RunHistory } from '../rebuild/run-histories.ts'
import { count, type Findings } from './check.ts'

/** Returns the faults of all runs except deleted ones, which have no coverage. */
export function checkCoverage(histories: Iterable<RunHistory>): Findings {
  const runs = [...histories].filter(({ deletedWith }) => deletedWith === null)
  const wrong = runs.flatMap(history => faultsOf(history).map(fault => `run ${history.runId}: ${fault}`))
  return { looked: count(runs.length, 'run'), wrong }
}

function faultsOf({ run, counted, settled }: RunHistory): string[] {
  if (run.status === 'unknown') return ['its first events are missing']
  if (run.status === 'running') return unbalanced(totals(run), settled)
  if (!('totals' in run)) return []
  const reported = run.totals
  const faults = unbalanced(reported, settled)
  if (reported.pending !== 0) faults.push(`it has ended with ${reported.pending} pending`)
  // URLs that were pending when the run was cancelled count as not reached.
  const atEnd = counted ?? noTotals
  const same = { ...atEnd, notReached: atEnd.notReached + atEnd.pending, pending: 0 }
  const reportedSame = { ...reported, notReached: reported.notReached + reported.pending, pending: 0 }
  for (const outcome of Object.keys(same) as (keyof Totals)[]) {
    if (same[outcome] !== reportedSame[outcome])
      faults.push(`its end event has ${outcome} ${reportedSame[outcome]}, its events ${same[outcome]}`)
  }
  return faults
}

function unbalanced(at: Totals, settled: number): string[] {
  const { discovered, fetched, failed, skipped, duplicate, notReached, pending } = at
  const sum = fetched + failed + skipped + duplicate + notReached + pending
  const faults: string[] = []
  if (sum !== discovered) faults.push(`discovered ${discovered}, but all outcomes together are ${sum}`)
  if (fetched !== settled) faults.push(`fetched ${fetched}, but ${settled} settled pages`)
  return faults
}
