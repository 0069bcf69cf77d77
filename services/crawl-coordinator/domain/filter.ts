/**
 * The client's own patterns, compiled once a run. Verdicts are remembered for a while: whoever has time may ask for
 * them ahead, so that a decision need not search.
 */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { createPathFilter, type Filtered, finished, type PathFilter } from '@tidemark/url/path-filter'

const compiled = new WeakMap<RunSettings, PathFilter | null>()

/** Verdicts of more URLs than any decision is about, in number and in characters. */
const mostRemembered = 50_000
const mostText = 16_000_000

/** Null where the run has no patterns. */
export function filterOf(settings: RunSettings): PathFilter | null {
  const known = compiled.get(settings)
  if (known !== undefined) return known
  const { includePaths: include = [], excludePaths: exclude = [] } = settings
  const filter = include.length + exclude.length === 0 ? null : remembering({ include, exclude })
  compiled.set(settings, filter)
  return filter
}

function remembering(patterns: { include: string[]; exclude: string[] }): PathFilter {
  const filter = createPathFilter(patterns)
  const verdicts = new Map<string, Filtered | null>()
  let text = 0
  return { judge: url => verdicts.get(url) ?? finished(judgeSteps(url)), judgeSteps }

  function* judgeSteps(url: string): Generator<void, Filtered | null> {
    const known = verdicts.get(url)
    if (known !== undefined) return known
    const verdict = yield* filter.judgeSteps(url)
    if (verdicts.size >= mostRemembered || text >= mostText) {
      verdicts.clear()
      text = 0
    }
    verdicts.set(url, verdict)
    text += url.length
    return verdict
  }
}
