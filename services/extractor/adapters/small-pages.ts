/**
 * Makes the content of small pages on this thread, on which every page of a crawl is read too. A round trip to another
 * thread takes longer than reading such a page, and a fifth of the time that its Markdown and article take.
 */
import { setImmediate } from 'node:timers/promises'
import { encodeJson } from '@tidemark/bus/codec'
import { createFairLine } from '@tidemark/bus/fair-line'
import { isPdf } from '@tidemark/html/media-type'
import { bufferOf } from '../domain/buffer-of.ts'
import { contentOf, isShell, openWithLanguage } from '../domain/content.ts'
import type { ContentRequest } from '../domain/content-request.ts'
import type { ContentThread, ThreadAnswer } from './content-thread.ts'

/** Maximum decoded bytes. Even a page that is designed to take long takes at most some ten milliseconds. */
const smallBytes = 64 * 1024
/** A long base would expand each link of a page. */
const maxBase = 512
/** Elements with which a small page can take long or become large: a base, and nested shadow roots. */
const costly = /<(?:base|template)/i

/**
 * Returns a thread that makes the content of small pages here, and that of others on `thread`. Between two pages this
 * thread handles other events.
 */
export function withSmallPages(thread: ContentThread): ContentThread {
  const line = createFairLine()
  return {
    ...thread,
    async make(request, owner) {
      const made = isSmall(request) ? await line.join(owner, () => madeHere(request)) : null
      return made ?? thread.make(request, owner)
    },
  }
}

/** Returns whether a page is small, and its content is bounded by its size alone. */
function isSmall({ url, body, contentType, wanted, byModel }: ContentRequest): boolean {
  const { chunks, commonmark, extract, schema } = wanted
  if (body.byteLength > smallBytes || url.length > maxBase) return false
  if (byModel || chunks || commonmark || extract || schema) return false
  return !isPdf(contentType, body) && !costly.test(bufferOf(body).toString('latin1'))
}

/** Returns null for a page whose language must be guessed, because the data for that is loaded on the other thread. */
async function madeHere(request: ContentRequest): Promise<ThreadAnswer | null> {
  await setImmediate()
  const page = openWithLanguage(request)
  if (page === null) return null
  const content = contentOf(page, { guessed: null, commonmark: null })
  return { json: encodeJson(content), challenge: content.challenge, isShell: isShell(page) }
}
