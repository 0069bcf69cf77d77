/**
 * What may take long is searched before the decision is made, in steps: a decision is made in one go, and everybody
 * else would wait for its end. Whoever takes the steps may pause between any two of them.
 */
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import { filterOf } from './filter.ts'
import type { Run } from './run.ts'

/** Searches the client's patterns for all that these outcomes have found; the run's filter remembers the verdicts. */
export function* judgeAhead(run: Run, outcomes: Outcome[]): Generator<void> {
  const filter = run.status === 'running' ? filterOf(run.settings) : null
  if (filter === null || run.status !== 'running') return
  for (const [key, url] of outcomes.flatMap(foundBy)) {
    if (run.places.has(key)) continue
    yield* filter.judgeSteps(url)
    yield
  }
}

function foundBy(outcome: Outcome): readonly FoundLink[] {
  if ('links' in outcome) return outcome.links
  return outcome.type === 'redirect' ? [outcome.to] : []
}
