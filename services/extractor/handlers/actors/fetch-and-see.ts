/** Fetches one page for an actor and reads it as that wants it. */
import { decodeJson } from '@tidemark/bus/codec'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/ask/actors'
import type { By } from '@tidemark/contracts/ask/fetch'
import type { ContentThread } from '../../adapters/content-thread.ts'
import type { Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { decodedOrRefused, refusalOf } from '../fetch-refusal.ts'
import type { ReadingQuestion, SeenAs } from './read-seen.ts'

export type FetchAndSeePorts = {
  fetchPage: FetchPage
  thread: Pick<ContentThread, 'see' | 'expect'>
  /** Of the body as it comes over the wire, and decoded. */
  maxBytes: number
  maxDecodedBytes: number
}

type Reading = ReadingQuestion['reading']

/** Without `by` plainly. */
export type PageToFetch = Omit<ReadPageAs, 'reading'> & {
  /** How it is read; may hang on what came. @param fetchedAt ISO 8601 */
  readingOf: (page: Fetched, fetchedAt: string) => Reading | Promise<Reading>
  by?: By
  /** As in `FetchNow`. */
  tellsDelivery?: true
}

/** `costUsd` is what whoever got it asks for it. */
export type Seen = PageRead & SeenAs & { costUsd: number }

const maxHops = 10

/** Throws a `Refusal` for a page that cannot be had: 502, 400 for an address inward, 503 where nobody gets pages so. */
export async function fetchAndSee(
  { fetchPage, thread, maxBytes, maxDecodedBytes }: FetchAndSeePorts,
  { workId, projectId, url, timeoutMs, readingOf, by, tellsDelivery }: PageToFetch,
): Promise<Seen> {
  thread.expect()
  const pace = { workId, delayMs: 0, concurrency: 1 }
  const bounds = { maxHops, maxBytes, cuts: false, timeoutMs }
  const way = { ...(by && { by }), ...(tellsDelivery && { tellsDelivery }) }
  const page = await fetchPage({ ...pace, url, ...bounds, ...way })
  if (page.is === 'failed') throw refusalOf(page)
  const fetchedAt = new Date().toISOString()
  const { status, contentType, headers, encodings, costUsd = 0 } = page
  const body = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const reading = await readingOf(page, fetchedAt)
  const seen = { url: page.url, status, contentType, headers, body }
  const { json } = await thread.see({ reading, page: seen }, `project ${projectId}`)
  return { url: page.url, status, fetchedAt, costUsd, ...(decodeJson(json) as SeenAs) }
}
