/** The client's own patterns, compiled once a run. */
import type { RunSettings } from '@tidemark/contracts/run'
import { createPathFilter, type PathFilter } from '@tidemark/url/path-filter'

const compiled = new WeakMap<RunSettings, PathFilter | null>()

/** Null where the run has no patterns. */
export function filterOf(settings: RunSettings): PathFilter | null {
  const known = compiled.get(settings)
  if (known !== undefined) return known
  const { includePaths: include = [], excludePaths: exclude = [] } = settings
  const filter = include.length + exclude.length === 0 ? null : createPathFilter({ include, exclude })
  compiled.set(settings, filter)
  return filter
}
