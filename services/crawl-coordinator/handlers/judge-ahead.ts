/**
 * Searches a client's patterns before the decision is made, with pauses: a decision is made in one go, and patterns
 * that are costly to search would keep everybody else waiting for its end.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { filterOf } from '../domain/filter.ts'
import type { Run } from '../domain/run.ts'

const pauseAfterMs = 10

/** The filter of the run remembers the verdicts. */
export async function judgeAhead(run: Run, outcomes: Outcome[]): Promise<void> {
  const filter = run.status === 'running' ? filterOf(run.settings) : null
  if (filter === null || run.status !== 'running') return
  let since = performance.now()
  for (const [key, url] of outcomes.flatMap(outcome => ('links' in outcome ? outcome.links : []))) {
    if (run.places.has(key)) continue
    filter.judge(url)
    if (performance.now() - since < pauseAfterMs) continue
    await breathe()
    since = performance.now()
  }
}
