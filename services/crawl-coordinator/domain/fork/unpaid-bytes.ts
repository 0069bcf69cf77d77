/**
 * Estimates the bytes that a fork stores without paying for them. Pages from the store count towards no cap. Without
 * this estimate, a project could fill the stream RUNS with the URLs of their links.
 */
import type { RunSettings } from '@tidemark/contracts/run-settings'

/** Bytes of the run itself, and of the events of a page from the store and of the URLs that it links to. */
const unpaid = { once: 500_000, perPage: 2_500 }

/** Returns the bytes that a fork counts towards the requests of the project's day; 0 for other runs. */
export const unpaidBytesOf = ({ fork, maxPages }: Pick<RunSettings, 'fork' | 'maxPages'>): number =>
  fork === undefined ? 0 : unpaid.once + Math.min(fork.pages ?? 0, maxPages) * unpaid.perPage
