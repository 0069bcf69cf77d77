/**
 * The client's own patterns, compiled once a run. Verdicts are remembered for a while: whoever has time may ask for
 * them ahead, so that a decision need not search.
 */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { createPathFilter, type Filtered, type PathFilter } from '@tidemark/url/path-filter'

const compiled = new WeakMap<RunSettings, PathFilter | null>()

/** Verdicts of more URLs than any decision is about. */
const mostRemembered = 50_000

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
  const { judge } = createPathFilter(patterns)
  const verdicts = new Map<string, Filtered | null>()
  return {
    judge(url) {
      const known = verdicts.get(url)
      if (known !== undefined) return known
      if (verdicts.size >= mostRemembered) verdicts.clear()
      const verdict = judge(url)
      verdicts.set(url, verdict)
      return verdict
    },
  }
}
