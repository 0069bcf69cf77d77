/**
 * Applies the client's patterns to a URL. Matching may take long, so it is done before the decision on another thread,
 * and the decision uses its verdicts.
 */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { createPathFilter, type Filtered, type PathFilter } from '@tidemark/url/path-filter'
import type { PatternLists } from '@tidemark/url/patterns'

/** The verdict on each URL; null: the patterns do not exclude it. */
export type Verdicts = ReadonlyMap<string, Filtered | null>

/** Returns the patterns of a run, or null if it has none. */
export function patternsOf({
  includePaths: include = [],
  excludePaths: exclude = [],
}: RunSettings): PatternLists | null {
  return include.length + exclude.length === 0 ? null : { include, exclude }
}

/** Returns the pattern that excludes a URL, or null. A URL without a verdict is matched at once. */
export function filteredBy(settings: RunSettings, url: string, verdicts?: Verdicts): Filtered | null {
  const verdict = verdicts?.get(url)
  return verdict === undefined ? (filterOf(settings)?.judge(url) ?? null) : verdict
}

/** Caches the compiled filter of each run by its settings, so that each run compiles its patterns once. */
const compiled = new WeakMap<RunSettings, PathFilter | null>()

function filterOf(settings: RunSettings): PathFilter | null {
  const known = compiled.get(settings)
  if (known !== undefined) return known
  const patterns = patternsOf(settings)
  const filter = patterns && createPathFilter(patterns)
  compiled.set(settings, filter)
  return filter
}
