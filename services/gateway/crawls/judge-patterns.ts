import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import { checkPatterns } from '@tidemark/url/patterns'
import { areQuicklyRead, assertValid, listsOf } from './domain/path-patterns.ts'

export type PatternPorts = { patterns: Pick<PatternThread, 'check'> }

/**
 * Checks the patterns of a crawl: short ones on this thread, others on a separate one, so that no other request waits for
 * them. Projects take turns on the separate thread. Throws `ApiProblem` (`bad_regex`) that names the first invalid
 * pattern, or one that is too expensive to search.
 */
export async function judgePatterns(
  { patterns }: PatternPorts,
  request: CrawlRequest,
  projectId: number,
): Promise<void> {
  const lists = listsOf(request)
  const isQuick = areQuicklyRead(lists)
  assertValid(isQuick ? checkPatterns(lists) : await patterns.check(lists, { tenant: projectId }))
}
