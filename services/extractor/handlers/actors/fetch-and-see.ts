/** Fetches one page for an actor and reads it in the actor's way. */
import { decodeJson } from '@tidemark/bus/codec'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/rpc/actors'
import type { By } from '@tidemark/contracts/rpc/fetch'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import type { ContentThread } from '../../adapters/content-thread.ts'
import type { Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { decodedOrRefused, refusalOf } from '../fetch-refusal.ts'
import type { ReadingRequest, SeenAs } from './read-seen.ts'

export type FetchAndSeePorts = {
  fetchPage: FetchPage
  thread: Pick<ContentThread, 'see' | 'expect'>
  /** Limits of the body as sent, and decoded. */
  maxBytes: number
  maxDecodedBytes: number
}

type Reading = ReadingRequest['reading']

/** A page to fetch and read. The default of `by` is the plain backend. */
export type PageToFetch = Omit<ReadPageAs, 'reading'> & {
  /** The way of reading; may depend on the response. @param fetchedAt ISO 8601 */
  readingOf: (page: Fetched, fetchedAt: string) => Reading | Promise<Reading>
  by?: By
  /** As in `FetchNow`. */
  tellsDelivery?: true
}

/** `costUsd`: price of the backend. */
export type Seen = PageRead & SeenAs & { costUsd: number }

/** Throws a `Refusal` for a failed fetch: 502, 400 for a private address, 503 without a backend for it. */
export async function fetchAndSee(
  { fetchPage, thread, maxBytes, maxDecodedBytes }: FetchAndSeePorts,
  { workId, projectId, url, timeoutMs, readingOf, by, tellsDelivery }: PageToFetch,
): Promise<Seen> {
  thread.expect()
  const load = { workId, projectId, delayMs: 0, concurrency: 1 }
  const bounds = { maxHops: maxPageRedirects, maxBytes, cuts: false, timeoutMs }
  const way = { ...(by && { by }), ...(tellsDelivery && { tellsDelivery }) }
  const page = await fetchPage({ ...load, url, ...bounds, ...way })
  if (page.is === 'failed') throw refusalOf(page)
  const fetchedAt = new Date().toISOString()
  const { status, contentType, headers, encodings, costUsd = 0 } = page
  const body = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const reading = await readingOf(page, fetchedAt)
  const seen = { url: page.url, status, contentType, headers, body }
  const { json } = await thread.see({ reading, page: seen }, `project ${projectId}`)
  const read = decodeJson(json) as SeenAs
  const warnings = [...read.warnings, ...(page.warnings ?? [])]
  return { url: page.url, status, fetchedAt, costUsd, ...read, warnings }
}
