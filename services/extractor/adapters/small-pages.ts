/**
 * Makes the content of small pages that need no tree on this thread, in the one pass that every page of a crawl takes
 * here. A round trip to another thread takes longer than the pass.
 */
import { encodeJson } from '@tidemark/bus/codec'
import { isPdf } from '@tidemark/html/media-type'
import { contentOf, isOfTree, isShell, openWithoutTree } from '../domain/content.ts'
import type { ContentRequest } from '../domain/content-request.ts'
import type { ContentThread, ThreadAnswer } from './content-thread.ts'

/** Decoded size. Such a page takes a few milliseconds, even if it consists of links only. */
const smallBytes = 64 * 1024
/** A long base would expand each link of a page. */
const maxBase = 512

/** Returns a thread that makes the content of small pages here, and that of others on `thread`. */
export const withSmallPages = (thread: ContentThread): ContentThread => ({
  ...thread,
  make: async (request, owner) => contentHere(request) ?? thread.make(request, owner),
})

/** Null for a page that is not small, or needs more than one pass. */
function contentHere(request: ContentRequest): ThreadAnswer | null {
  const { url, body, contentType, wanted, byModel } = request
  if (body.byteLength > smallBytes || byModel || wanted.chunks || isOfTree(wanted)) return null
  if (isPdf(contentType, body) || url.length > maxBase || hasBase(body)) return null
  const page = openWithoutTree(request)
  if (page === null) return null
  const content = contentOf(page, { guessed: null, commonmark: null })
  return { json: encodeJson(content), challenge: content.challenge, isShell: isShell(page) }
}

const hasBase = (body: Uint8Array): boolean => /<base/i.test(Buffer.from(body).toString('latin1'))
