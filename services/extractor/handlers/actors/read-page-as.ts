/** Fetches one page plainly for an actor, and reads it as that wants it. */
import { decodeJson } from '@tidemark/bus/codec'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/ask/actors'
import type { ContentThread } from '../../adapters/content-thread.ts'
import type { FetchPage } from '../../adapters/fetch-now.ts'
import { decodedOrRefused, refusalOf } from '../fetch-refusal.ts'
import type { SeenAs } from './read-seen.ts'

export type ReadPagePorts = {
  fetchPage: FetchPage
  thread: Pick<ContentThread, 'see' | 'expect'>
  /** Of the body as it comes over the wire, and decoded. */
  maxBytes: number
  maxDecodedBytes: number
}

const maxHops = 10

/** The handler throws a `Refusal` for a page that cannot be had: 502, or 400 for an address inward. */
export function readPageAs({ fetchPage, thread, maxBytes, maxDecodedBytes }: ReadPagePorts) {
  return async ({ workId, projectId, url, timeoutMs, reading }: ReadPageAs): Promise<PageRead> => {
    thread.expect()
    const pace = { workId, delayMs: 0, concurrency: 1 }
    const page = await fetchPage({ ...pace, url, maxHops, maxBytes, cuts: false, timeoutMs })
    if (page.is === 'failed') throw refusalOf(page)
    const fetchedAt = new Date().toISOString()
    const { status, contentType, headers, encodings } = page
    const body = decodedOrRefused(page.body, encodings, maxDecodedBytes)
    const seen = { url: page.url, status, contentType, headers, body }
    const { json } = await thread.see({ reading, page: seen }, `project ${projectId}`)
    return { url: page.url, status, fetchedAt, ...(decodeJson(json) as SeenAs) }
  }
}
