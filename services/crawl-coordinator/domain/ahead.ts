/**
 * Does long work of a decision in advance, in steps between which the caller may pause. The decision itself runs without
 * a pause, so this work would block other runs there.
 */
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import { forbiddenBy } from './discover.ts'
import { patternsOf, type Verdicts } from './filter.ts'
import { nextListed } from './listed.ts'
import type { Run } from './run.ts'

/**
 * Returns the URLs that still have to be matched against the client's patterns, each once: URLs in these outcomes, and
 * listed URLs.
 */
export function unsearched(run: Run, outcomes: readonly Outcome[], verdicts: Verdicts): string[] {
  if (run.status !== 'running' || patternsOf(run.settings) === null) return []
  const urls = new Set(nextListed(run).filter(url => !verdicts.has(url)))
  if (run.isFull) return [...urls]
  for (const outcome of outcomes) {
    for (const [key, url] of foundBy(outcome)) {
      if (!run.states.has(key) && !verdicts.has(url)) urls.add(url)
    }
  }
  return [...urls]
}

/**
 * Matches the URLs in these outcomes, and listed URLs, against the rules of robots.txt. The rules cache the verdicts
 * for the decision, because matching them may be costly. The caller may pause between any two steps.
 */
export function* judgeRobotsAhead(run: Run, outcomes: readonly Outcome[]): Generator<void> {
  if (run.status !== 'running') return
  for (const url of nextListed(run)) {
    forbiddenBy(run, url)
    yield
  }
  if (run.isFull) return
  for (const outcome of outcomes) {
    for (const [key, url] of foundBy(outcome)) {
      if (run.states.has(key)) continue
      forbiddenBy(run, url)
      yield
    }
  }
}

function foundBy(outcome: Outcome): readonly FoundLink[] {
  if ('links' in outcome) return outcome.links
  return outcome.type === 'redirect' ? [outcome.to] : []
}
