/**
 * Bounds what a fork stores without paying for it. Pages from the store meet no cap, so a fork could fill the stream RUNS with
 * the URLs of their links. It knows as many as its paid pages allow, and a part more, which counts towards the bytes of the
 * project's day when the fork starts.
 */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Running } from '../run.ts'

/** Characters of the URLs that a fork knows without a page, and for each page that it can take from the store. */
const unpaid = { once: 500_000, perPage: 2_000 }
/** Estimated bytes of the other events of a page from the store. */
const eventBytes = 500
const paidPerPage = 8_000

type Forked = Pick<RunSettings, 'fork' | 'maxPages'>

/** Returns the maximum number of characters of the URLs that the run knows as a fork; infinite for other runs. */
export function maxForkedText({
  settings,
  counts,
  carried,
}: Pick<Running, 'settings' | 'counts' | 'carried'>) {
  if (settings.fork === undefined) return Number.POSITIVE_INFINITY
  return unpaid.once + pagesOf(settings) * unpaid.perPage + (counts.fetched - carried) * paidPerPage
}

/** Returns the bytes that a fork may store without paying; 0 for other runs. */
export const unpaidBytesOf = (settings: Forked): number =>
  settings.fork === undefined ? 0 : unpaid.once + pagesOf(settings) * (unpaid.perPage + eventBytes)

const pagesOf = ({ fork, maxPages }: Forked): number => Math.min(fork?.pages ?? 0, maxPages)
