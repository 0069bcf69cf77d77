/** Reads one large page or sitemap, including decoding: the work of the thread for large pages. */
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import { allSteps } from '../concurrency/in-steps.ts'
import { bufferOf } from '../domain/buffer-of.ts'
import { type ReadBody, readBody } from './read-body.ts'
import { readSitemap } from './read-sitemap.ts'

export type LargePageRequest = {
  page: FetchedPage
  asSent: Uint8Array
  /** Maximum decoded size of a page. */
  maxDecodedBytes: number
  robotsToken: string
}

export type LargeAnswer =
  | (ReadBody & { type: 'page'; isPlain: boolean; size: number })
  | ({ type: 'sitemap' } & Pick<ReadBody, 'outcomes'>)
  /** The body cannot be decoded; `reason` as in `FetchError`. */
  | { type: 'failed'; reason: string }

export function readLarge({ page, asSent, maxDecodedBytes, robotsToken }: LargePageRequest): LargeAnswer {
  const body = bufferOf(asSent)
  try {
    if (page.kind === 'sitemap') return { type: 'sitemap', outcomes: allSteps(readSitemap(page, body)) }
    const decoded = decodeBody(body, page.encodings, maxDecodedBytes)
    const read = allSteps(readBody(page, decoded, robotsToken))
    return { type: 'page', ...read, isPlain: decoded === body, size: decoded.byteLength }
  } catch (thrown) {
    if (thrown instanceof FetchError) return { type: 'failed', reason: thrown.code }
    throw thrown
  }
}
