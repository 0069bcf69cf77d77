/**
 * Searches a client's patterns before the decision is made, with pauses: a decision is made in one go, and patterns
 * that are costly to search would keep everybody else waiting for its end.
 */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { filterOf } from '../domain/filter.ts'
import type { Run } from '../domain/run.ts'
import { paced } from './paced.ts'

/** The filter of the run remembers the verdicts. */
export async function judgeAhead(run: Run, outcomes: Outcome[]): Promise<void> {
  const filter = run.status === 'running' ? filterOf(run.settings) : null
  if (filter === null || run.status !== 'running') return
  const { places } = run
  const links = outcomes.flatMap(outcome => ('links' in outcome ? outcome.links : []))
  await paced(links, ([key, url]) => {
    if (!places.has(key)) filter.judge(url)
  })
}
