/** Reads the crawl delay of a robots.txt: the minimum time between two requests. */
import type { RobotsGroup } from './file.ts'

/** Longer values of Crawl-delay are treated as a mistake of the site. */
const maxMs = 30_000

/** Returns the delay in milliseconds, at most 30 s, or 0 without a delay. */
export const crawlDelayMs = ({ crawlDelay }: Pick<RobotsGroup, 'crawlDelay'>): number =>
  Math.min((crawlDelay ?? 0) * 1000, maxMs)
