import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { CheckPatterns } from './adapters/pattern-check.ts'
import { assertValid, listsOf } from './domain/path-patterns.ts'

export type PatternPorts = { checkPatterns: CheckPatterns }

/**
 * Checks the patterns of a crawl. Throws `ApiProblem` (`bad_regex`) that names the first invalid one, or one that is
 * too expensive to search.
 */
export async function judgePatterns(
  { checkPatterns }: PatternPorts,
  request: CrawlRequest,
  projectId: number,
): Promise<void> {
  assertValid(await checkPatterns(listsOf(request), projectId))
}
