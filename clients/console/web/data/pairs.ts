/** Finds crawls of the same URL that can be compared. */

type Crawled = {
  id: number
  url: string
  page_count: number
  finished_at: string | null
  enqueued_at: string
}

export type CrawlPair<Run> = { earlier: Run; later: Run }

/**
 * Pairs each ended crawl that has pages with the previous such crawl of the same URL.
 *
 * @param runs newest first
 */
export function comparableCrawls<Run extends Crawled>(runs: readonly Run[]): CrawlPair<Run>[] {
  const laterOf = new Map<string, Run>()
  const pairs: CrawlPair<Run>[] = []
  for (const run of runs) {
    if (run.finished_at === null || run.page_count === 0) continue
    const later = laterOf.get(run.url)
    if (later !== undefined) pairs.push({ earlier: run, later })
    laterOf.set(run.url, run)
  }
  return pairs.sort((a, b) => b.later.id - a.later.id)
}
