/** Reads a client's patterns: a few at once, many on a thread of their own, so that no other request waits for them. */
import type { PatternThread } from '@tidemark/url/pattern-thread'
import { type Checked, checkPatterns, type PatternLists } from '@tidemark/url/patterns'
import { areQuicklyRead } from '../domain/path-patterns.ts'

/** Whether the patterns may be a client's. Projects take turns. */
export type CheckPatterns = (lists: PatternLists, projectId: number) => Promise<Checked>

export const patternCheck =
  ({ check }: Pick<PatternThread, 'check'>): CheckPatterns =>
  async (lists, projectId) =>
    areQuicklyRead(lists) ? checkPatterns(lists) : check(lists, { tenant: projectId })
