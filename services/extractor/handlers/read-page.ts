/**
 * Reads one page in one pass over its bytes: data to store, and outcomes for its run. An unreadable body fails the
 * page, never its message.
 */
import { type Body, plainBody } from '@tidemark/content/body'
import type { StoredPicture } from '@tidemark/content/pictures'
import type { StoredPage } from '@tidemark/content/statements'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { sniffedBytes } from '@tidemark/html/binary-type'
import { isPdf } from '@tidemark/html/media-type'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import { decodeStart } from '../adapters/decode-start.ts'
import type { LargePages } from '../adapters/large-pages.ts'
import type { PdfHeads } from '../adapters/pdf-thread.ts'
import type { Arrived } from '../adapters/read-frame.ts'
import { type ResponsePorts, responseOf } from '../adapters/response-of.ts'
import { inSteps } from '../concurrency/in-steps.ts'
import { ThreadTerminated } from '../concurrency/thread.ts'
import { bufferOf } from '../domain/buffer-of.ts'
import { failureOf } from '../domain/failure.ts'
import type { PdfHead } from '../domain/pdf/pdf-document.ts'
import { type ReadBody, readBody } from './read-body.ts'
import { readSitemap } from './read-sitemap.ts'

export type ReadPage = {
  page: FetchedPage
  /** Null without content to store. */
  stored: StoredPage | null
  /** The screenshot of the stored page. */
  picture?: StoredPicture
  /** Outcomes in the order in which the run must receive them; empty for an unmodified page. */
  outcomes: Outcome[]
}

export type PageReader = {
  /**
   * Reads the page on this thread in steps, or returns null if it is large, a PDF, has a screenshot, or its body is
   * external or belongs to an earlier run.
   */
  readInline(arrived: Arrived): Promise<ReadPage | null>
  /**
   * Reads any page, a large one on another thread. Rejects while an external body is unavailable, and when the thread
   * ended through no fault of the page.
   */
  readAny(arrived: Arrived): Promise<ReadPage>
}

type Ports = ResponsePorts & {
  largePages: Pick<LargePages, 'read'>
  /** Null: PDFs are stored unread. */
  pdfs: Pick<PdfHeads, 'head'> | null
  /** Maximum decoded size of a body. */
  maxDecodedBytes: number
  /** The product token by which X-Robots-Tag may address this crawler. */
  robotsToken: string
  report: (error: unknown) => void
}

/** Maximum decoded bytes of pages that take only a few steps. */
const largeBytes = 1024 ** 2
/** Maximum decoded bytes of pages that take only a few steps although they are also parsed into a tree. */
const largeComparedBytes = 256 * 1024

export function createPageReader(ports: Ports): PageReader {
  return {
    async readInline(arrived) {
      if (!hasAllBytes(arrived)) return null
      const { page } = arrived.stored ?? arrived
      if (page.notModifiedSince !== undefined) return unmodified(page)
      const asSent = arrived.stored?.asSent ?? bufferOf(arrived.blob)
      try {
        if (page.kind === 'sitemap') return await readShortSitemap(page, asSent)
        const decoded = decodedIfShort(ports, page, asSent)
        if (decoded === null || (mayBeDocument(ports, page) && isPdf(page.contentType, decoded))) return null
        return await readInSteps(ports, page, { asSent, decoded })
      } catch (thrown) {
        return failedBy(ports, page, thrown)
      }
    },

    async readAny(arrived) {
      const response = await responseOf(ports, arrived)
      if ('lost' in response) return failed(arrived.page, response.lost, true)
      const { page, asSent, picture } = response
      if (page.notModifiedSince !== undefined) return unmodified(page)
      try {
        const isRead = mayBeDocument(ports, page) && isPdf(page.contentType, await startOf(page, asSent))
        const head = isRead ? await headOf(ports, page, asSent) : null
        const readsInline = isRead || picture !== null || page.storedIn !== undefined
        const decoded = readsInline ? decodedIfShort(ports, page, asSent) : null
        const done =
          decoded === null
            ? await readLargePage(ports, page, asSent)
            : await readInSteps(ports, page, { asSent, decoded })
        return {
          ...(head === null ? done : withHead(done, head)),
          ...(picture && done.stored && { picture }),
        }
      } catch (thrown) {
        if (thrown instanceof ThreadTerminated && (thrown.why === 'closed' || thrown.why === 'patience'))
          throw thrown
        return failedBy(ports, page, thrown)
      }
    },
  }
}

/** Returns whether all bytes of the page have arrived. */
export const hasAllBytes = ({ page: { bulkyKey, pictureKey, storedIn }, stored }: Arrived): boolean =>
  bulkyKey === null && pictureKey === undefined && (storedIn === undefined || stored !== undefined)

/** The decoded body; null for a page that takes too many steps. */
function decodedIfShort({ maxDecodedBytes }: Ports, page: FetchedPage, asSent: Buffer): Buffer | null {
  const maxBytes = Math.min(needsTree(page) ? largeComparedBytes : largeBytes, maxDecodedBytes)
  return decodedWithin(maxBytes, asSent, page.encodings)
}

async function readInSteps(
  { robotsToken }: Ports,
  page: FetchedPage,
  { asSent, decoded }: { asSent: Buffer; decoded: Buffer },
): Promise<ReadPage> {
  const read = await inSteps(readBody(page, decoded, robotsToken))
  const body = bodyOf(page, asSent, read.digest, decoded === asSent, decoded.byteLength)
  return readPageOf(page, read, body)
}

/** Returns whether the page is also parsed into a tree. */
const needsTree = ({ comparison, loggedOut }: FetchedPage): boolean =>
  comparison !== undefined || loggedOut !== undefined

async function readLargePage(
  { largePages, maxDecodedBytes, robotsToken }: Ports,
  page: FetchedPage,
  asSent: Buffer,
): Promise<ReadPage> {
  const read = await largePages.read({ page, asSent, maxDecodedBytes, robotsToken })
  if (read.type === 'failed') return failed(page, read.reason)
  if (read.type === 'sitemap') return { page, stored: null, outcomes: read.outcomes }
  return readPageOf(page, read, bodyOf(page, asSent, read.digest, read.isPlain, read.size))
}

const mayBeDocument = ({ pdfs }: Ports, { kind }: FetchedPage): boolean => pdfs !== null && kind === undefined

/** The decoded beginning of a body, by which a document is recognized in any encoding. */
const startOf = async ({ encodings }: FetchedPage, asSent: Buffer): Promise<Buffer> =>
  (await decodeStart(asSent, encodings, sniffedBytes)).bytes

/**
 * Returns the head; null: the document cannot be read. Its page is stored, and its content has the reason as a warning.
 */
async function headOf(
  { pdfs, maxDecodedBytes }: Ports,
  { runId, encodings }: FetchedPage,
  body: Uint8Array,
): Promise<PdfHead | null> {
  const head = await pdfs?.head({ body, encodings, maxBytes: maxDecodedBytes }, runId)
  return head === undefined || 'fault' in head ? null : head
}

function failedBy({ report }: Ports, page: FetchedPage, thrown: unknown): ReadPage {
  if (thrown instanceof FetchError) return failed(page, thrown.code)
  report(thrown)
  return failed(page, 'unreadable')
}

/** Adds the head of a document to its page, whose body has no title. */
function withHead({ stored, outcomes, ...done }: ReadPage, { title, description, lang }: PdfHead): ReadPage {
  const metadata = { ...JSON.parse(stored?.metadata ?? '{}'), title, description, lang }
  return {
    ...done,
    stored: stored && { ...stored, metadata: JSON.stringify(metadata) },
    outcomes: outcomes.map(outcome => (outcome.type === 'page' ? { ...outcome, title } : outcome)),
  }
}

/** Returns the decoded body; null if it is larger. Throws if it cannot be decoded at all. */
function decodedWithin(maxBytes: number, asSent: Buffer, encodings: string[]): Buffer | null {
  try {
    return decodeBody(asSent, encodings, maxBytes)
  } catch (thrown) {
    if (isTooLarge(thrown)) return null
    throw thrown
  }
}

async function readShortSitemap(page: FetchedPage, asSent: Buffer): Promise<ReadPage | null> {
  if (asSent.byteLength > largeBytes) return null
  try {
    return { page, stored: null, outcomes: await inSteps(readSitemap(page, asSent, largeBytes)) }
  } catch (thrown) {
    if (isTooLarge(thrown)) return null
    throw thrown
  }
}

const isTooLarge = (thrown: unknown): boolean => thrown instanceof FetchError && thrown.code === 'too_large'

/** A page that exceeds its bytes is not stored, and fails as `max_bytes`. */
function readPageOf(page: FetchedPage, { stored, outcomes }: ReadBody, body: Body | null): ReadPage {
  const { maxBytes = Number.POSITIVE_INFINITY } = page
  const isOver = outcomes.some(outcome => outcome.type === 'page' && outcome.bytes > maxBytes)
  return isOver ? failed(page, 'max_bytes') : { page, stored: { ...stored, body }, outcomes }
}

/**
 * Returns the body to store; null if the run wants no bodies.
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
  const named = Buffer.from(digest)
  return isPlain ? plainBody(named, asSent) : { hash: named, encodings, size, data: asSent }
}

const unmodified = (page: FetchedPage): ReadPage => ({ page, stored: null, outcomes: [] })

const failed = (page: FetchedPage, reason: string, transient = false): ReadPage => ({
  page,
  stored: null,
  outcomes: [failureOf(page, reason, transient)],
})
