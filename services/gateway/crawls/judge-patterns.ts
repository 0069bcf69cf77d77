/** Whether the patterns of a crawl can be searched, and cheaply enough. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { CheckPatterns } from './adapters/pattern-check.ts'
import { listsOf, refusalOf } from './domain/path-patterns.ts'

export type PatternPorts = { checkPatterns: CheckPatterns }

/** Throws `ApiProblem` (`bad_regex`), naming the pattern at fault. */
export async function judgePatterns(
  { checkPatterns }: PatternPorts,
  request: CrawlRequest,
  projectId: number,
): Promise<void> {
  const refused = refusalOf(await checkPatterns(listsOf(request), projectId))
  if (refused !== null) throw refused
}
