/** Determines the rate limit of a host: the delay between its requests, and the number of its orders in flight. */
import { crawlDelayMs } from '@tidemark/robots/crawl-delay'
import type { Running } from './run.ts'

/** Milliseconds for which the orders in flight of a run keep a host busy. More would occupy slots of a fetcher. */
const windowSpanMs = 8_000
/** Minimum orders in flight at a host: one is fetched, the next waits. */
const minWindow = 2

/** Returns the minimum milliseconds between two requests to an origin: the run's own, or of robots.txt up to 30 s. */
export function delayOf({ settings, robots }: Running, origin: string): number {
  const known = robots.get(origin)
  if (known?.state !== 'read' || !settings.respectRobots) return settings.delayMs
  return Math.max(settings.delayMs, crawlDelayMs(known.group))
}

/** Returns the maximum number of orders in flight at a host, by its delay: few for a slow host. */
export const hostWindow = (delayMs: number): number =>
  Math.max(minWindow, Math.floor(windowSpanMs / Math.max(delayMs, 1)))
