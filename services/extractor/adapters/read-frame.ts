/** Reads a message of PAGES: validates the header and assigns each page its body. */
import { Unreadable } from '@tidemark/bus/codec'
import { decodeFrame } from '@tidemark/bus/frame'
import { type FetchedPage, FetchedPages } from '@tidemark/contracts/work/page'
import { Compile } from 'typebox/compile'
import type { StoredResponse } from './stored-pages.ts'

/**
 * A page and its body as the origin sent it. The body is a view of the message. It is empty if the body is in the
 * object store or belongs to a page of an earlier run. `stored` is the response of the earlier run, if it was read
 * already.
 */
export type Arrived = { page: FetchedPage; blob: Uint8Array; stored?: StoredResponse }

const pagesHeader = Compile(FetchedPages)

/** Throws `Unreadable`. */
export function readFrame(data: Uint8Array): Arrived[] {
  const { header, blobs } = decodeFrame(data)
  if (!pagesHeader.Check(header)) throw new Unreadable('the header does not describe pages')
  return header.pages.map((page, n) => {
    const blob = blobs[n]
    if (blob === undefined) throw new Unreadable(`page ${n} has no body`)
    return { page, blob }
  })
}
