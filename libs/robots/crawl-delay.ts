/** Reads the crawl delay of a robots.txt: the minimum time between two requests. */
import type { RobotsGroup } from './file.ts'

/** Longer values of Crawl-delay are treated as a mistake of the site. */
export const maxCrawlDelayMs = 30_000

/**
 * Returns the delay in whole milliseconds, at most 30 s, or 0 without a delay. It is rounded up, so that the crawler never
 * waits less than the site demands: 2.01 s are 2010 ms, although `2.01 * 1000` is below 2010.
 */
export const crawlDelayMs = ({ crawlDelay }: Pick<RobotsGroup, 'crawlDelay'>): number =>
  Math.min(Math.ceil((crawlDelay ?? 0) * 1000), maxCrawlDelayMs)
