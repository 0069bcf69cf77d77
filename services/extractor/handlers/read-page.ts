/**
 * Reads one page in one pass over its bytes: data to store, and outcomes for its run. An unreadable body fails the
 * page, never its message.
 */
import { type Body, plainBody } from '@tidemark/content/body'
import type { StoredPage } from '@tidemark/content/statements'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Bodies } from '../adapters/bodies.ts'
import type { LargePages } from '../adapters/large-pages.ts'
import type { Arrived } from '../adapters/read-frame.ts'
import { failureOf } from '../domain/failure.ts'
import { inSteps } from '../turns/in-steps.ts'
import { ThreadGaveUp } from '../turns/thread.ts'
import { type ReadBody, readBody } from './read-body.ts'
import { readSitemap } from './read-sitemap.ts'

export type ReadPage = {
  page: FetchedPage
  /** Null without content to store. */
  stored: StoredPage | null
  /** In the order in which the run must receive them; empty for an unmodified page. */
  outcomes: Outcome[]
}

export type PageReader = {
  /** Reads the page on this thread in steps, or returns null if it is large or its body is external. */
  here(arrived: Arrived): Promise<ReadPage | null>
  /**
   * Reads any page on another thread. Rejects while an external body is unavailable, and when the reading was ended
   * through no fault of the page.
   */
  elsewhere(arrived: Arrived): Promise<ReadPage>
}

type Ports = {
  bodies: Bodies
  largePages: Pick<LargePages, 'read'>
  /** Maximum decoded size of a body. */
  maxDecodedBytes: number
  /** The product token by which X-Robots-Tag may address this crawler. */
  robotsToken: string
  report: (error: unknown) => void
}

/** Decoded size of pages that take only a few steps. */
const largeBytes = 1024 ** 2
/** The same for pages with rules of comparison, which are parsed into a tree. */
const largeComparedBytes = 256 * 1024

export function createPageReader(ports: Ports): PageReader {
  const { bodies, largePages, maxDecodedBytes, robotsToken, report } = ports
  const maxHere = Math.min(largeBytes, maxDecodedBytes)

  return {
    async here({ page, blob }) {
      if (page.bulkyKey !== null) return null
      if (page.notModifiedSince !== undefined) return { page, stored: null, outcomes: [] }
      const asSent = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength)
      try {
        if (page.kind === 'sitemap') return await sitemapHere(page, asSent)
        const most = page.comparison === undefined ? maxHere : Math.min(largeComparedBytes, maxHere)
        const decoded = decodedWithin(most, asSent, page.encodings)
        if (decoded === null) return null
        const read = await inSteps(readBody(page, decoded, robotsToken))
        const body = bodyOf(page, asSent, read.digest, decoded === asSent, decoded.byteLength)
        return readPageOf(page, read, body)
      } catch (thrown) {
        return failedBy(page, thrown)
      }
    },

    async elsewhere(arrived) {
      const { page } = arrived
      const asSent = await bodies.get(arrived)
      if (asSent === null) return failed(page, 'body_lost', true)
      try {
        const read = await largePages.read({ page, asSent, maxDecodedBytes, robotsToken })
        if (read.is === 'failed') return failed(page, read.reason)
        if (read.is === 'sitemap') return { page, stored: null, outcomes: read.outcomes }
        return readPageOf(page, read, bodyOf(page, asSent, read.digest, read.isPlain, read.size))
      } catch (thrown) {
        if (thrown instanceof ThreadGaveUp && thrown.why === 'closed') throw thrown
        return failedBy(page, thrown)
      }
    },
  }

  function failedBy(page: FetchedPage, thrown: unknown): ReadPage {
    if (thrown instanceof FetchError) return failed(page, thrown.code)
    report(thrown)
    return failed(page, 'unreadable')
  }
}

/** Null if it is larger; throws if it cannot be decoded at all. */
function decodedWithin(most: number, asSent: Buffer, encodings: string[]): Buffer | null {
  try {
    return decodeBody(asSent, encodings, most)
  } catch (thrown) {
    if (isTooLarge(thrown)) return null
    throw thrown
  }
}

async function sitemapHere(page: FetchedPage, asSent: Buffer): Promise<ReadPage | null> {
  if (asSent.byteLength > largeBytes) return null
  try {
    return { page, stored: null, outcomes: await inSteps(readSitemap(page, asSent, largeBytes)) }
  } catch (thrown) {
    if (isTooLarge(thrown)) return null
    throw thrown
  }
}

const isTooLarge = (thrown: unknown): boolean => thrown instanceof FetchError && thrown.code === 'too_large'

const readPageOf = (page: FetchedPage, { stored, outcomes }: ReadBody, body: Body | null): ReadPage => ({
  page,
  stored: { ...stored, body },
  outcomes,
})

/**
 * Null if the run wants no bodies.
 * @param isPlain whether decoding was not needed, whatever the origin declared
 * @param size of the decoded bytes
 */
function bodyOf(
  { storeHtml, encodings }: FetchedPage,
  asSent: Buffer,
  digest: Uint8Array,
  isPlain: boolean,
  size: number,
): Body | null {
  if (!storeHtml) return null
  const hash = Buffer.from(digest)
  return isPlain ? plainBody(hash, asSent) : { hash, encodings, size, data: asSent }
}

const failed = (page: FetchedPage, reason: string, transient = false): ReadPage => ({
  page,
  stored: null,
  outcomes: [failureOf(page, reason, transient)],
})
