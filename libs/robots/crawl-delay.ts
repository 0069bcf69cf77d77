/** The pause that a robots.txt demands between two requests. */
import type { RobotsGroup } from './file.ts'

/** A longer Crawl-delay is a mistake of the site. */
const maxMs = 30_000

/** Returns the delay in milliseconds, at most 30 s; 0 without one. */
export const crawlDelayMs = ({ crawlDelay }: Pick<RobotsGroup, 'crawlDelay'>): number =>
  Math.min((crawlDelay ?? 0) * 1000, maxMs)
