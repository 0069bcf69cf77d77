/** Fetches one page for an actor and reads it as that wants it. */
import { decodeJson } from '@tidemark/bus/codec'
import type { PageRead, Reading, ReadPageAs } from '@tidemark/contracts/ask/actors'
import type { By } from '@tidemark/contracts/ask/fetch'
import type { ContentThread } from '../../adapters/content-thread.ts'
import type { FetchPage } from '../../adapters/fetch-now.ts'
import { decodedOrRefused, refusalOf } from '../fetch-refusal.ts'
import type { SeenAs } from './read-seen.ts'

export type FetchAndSeePorts = {
  fetchPage: FetchPage
  thread: Pick<ContentThread, 'see' | 'expect'>
  /** Of the body as it comes over the wire, and decoded. */
  maxBytes: number
  maxDecodedBytes: number
}

/** Without `by` plainly. An audit looks at more, and has a handler of its own. */
export type PageToFetch = Omit<ReadPageAs, 'reading'> & {
  reading: Exclude<Reading, { as: 'audit' }>
  by?: By
}

/** `costUsd` is what whoever got it asks for it. */
export type Seen = PageRead & SeenAs & { costUsd: number }

const maxHops = 10

/** Throws a `Refusal` for a page that cannot be had: 502, 400 for an address inward, 503 where nobody gets pages so. */
export async function fetchAndSee(
  { fetchPage, thread, maxBytes, maxDecodedBytes }: FetchAndSeePorts,
  { workId, projectId, url, timeoutMs, reading, by }: PageToFetch,
): Promise<Seen> {
  thread.expect()
  const pace = { workId, delayMs: 0, concurrency: 1 }
  const bounds = { maxHops, maxBytes, cuts: false, timeoutMs }
  const page = await fetchPage({ ...pace, url, ...bounds, ...(by && { by }) })
  if (page.is === 'failed') throw refusalOf(page)
  const fetchedAt = new Date().toISOString()
  const { status, contentType, headers, encodings, costUsd = 0 } = page
  const body = decodedOrRefused(page.body, encodings, maxDecodedBytes)
  const seen = { url: page.url, status, contentType, headers, body }
  const { json } = await thread.see({ reading, page: seen }, `project ${projectId}`)
  return { url: page.url, status, fetchedAt, costUsd, ...(decodeJson(json) as SeenAs) }
}
