/** Counts the free slots of `max_pages`. */
import type { Running } from '../run.ts'

/**
 * Returns the number of pages that may still be admitted. Each admission reserves one, and each failure releases it.
 * Listed URLs that are not judged yet have reserved theirs.
 */
export const slots = (run: Running): number => slotsOfChosen(run) - run.listed.waiting.size

/** Returns the same number for URLs that the client chose: the seed and the listed ones. */
export const slotsOfChosen = ({ settings, counts, pending }: Running): number =>
  settings.maxPages - counts.fetched - pending.size

/** Returns whether pages that `max_pages` has excluded may be admitted now. */
export const mayRefill = (run: Running): boolean => run.deferred.max_pages.size > 0 && slots(run) > 0
