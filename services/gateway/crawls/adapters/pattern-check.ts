/**
 * Checks a client's patterns: short ones on this thread, others on a separate one, so that no other request waits for
 * them.
 */
import type { PatternThread } from '@tidemark/url/pattern-thread'
import { type Checked, checkPatterns, type PatternLists } from '@tidemark/url/patterns'
import { areQuicklyRead } from '../domain/path-patterns.ts'

/** Checks the patterns of a request. Projects take turns on the separate thread. */
export type CheckPatterns = (lists: PatternLists, projectId: number) => Promise<Checked>

export const patternCheck =
  ({ check }: Pick<PatternThread, 'check'>): CheckPatterns =>
  async (lists, projectId) =>
    areQuicklyRead(lists) ? checkPatterns(lists) : check(lists, { tenant: projectId })
