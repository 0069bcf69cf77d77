/**
 * Makes content on a thread that is terminated when a page takes too long. A page delays others by at most that time,
 * and the pages of one client delay another client's by at most one each time.
 */

import type { Owner } from '@tidemark/bus/fair-line'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import { isPdf } from '@tidemark/html/media-type'
import { createShares } from '../concurrency/shares.ts'
import { createThread, ThreadTerminated, type Why } from '../concurrency/thread.ts'
import type { ContentRequest } from '../domain/content-request.ts'
import type { ModelInput } from '../domain/model/messages.ts'
import type { ReadingRequest } from '../handlers/actors/read-seen.ts'
import type { ComparisonRequest } from '../handlers/comparison.ts'
import type { SiteRequest } from '../handlers/read-site-page.ts'
import type { HtmlTransform } from '../handlers/transform-html.ts'
import { busy, ofDocuments } from './document-refusals.ts'
import type { PdfDocuments } from './pdf-thread.ts'

/** Results are JSON, ready to send, so that a long text is not copied between threads and then serialized. */
export type ThreadAnswer = {
  json: Uint8Array
  /** Results of earlier analysis: the challenge of the page, and whether it is only an application shell. */
  challenge: string | null
  isShell: boolean
  /** The request to a model for values that are missing; absent: there is nothing to request. */
  modelInput?: ModelInput
}

export type ContentThread = AsyncDisposable & {
  /**
   * Returns `Content` as JSON.
   * @param owner the client; clients take turns
   */
  make(request: ContentRequest, owner: Owner): Promise<ThreadAnswer>
  /** Returns `TextDifference` as JSON; otherwise like `make`. */
  compare(request: ComparisonRequest, owner: Owner): Promise<Uint8Array>
  /** Returns `TransformResponse` as JSON; otherwise like `make`. */
  transform(request: HtmlTransform, owner: Owner): Promise<Uint8Array>
  /** Returns `SiteEntries` as JSON; otherwise like `make`. */
  scrape(request: SiteRequest, owner: Owner): Promise<Uint8Array>
  /** Returns `SeenAs` as JSON; otherwise like `make`. */
  see(request: ReadingRequest, owner: Owner): Promise<ThreadAnswer>
  /** Starts the thread ahead of a page that will arrive soon. */
  expect(): void
}

/** Requests to the thread. */
export type ThreadRequest = ContentRequest | ComparisonRequest | HtmlTransform | SiteRequest | ReadingRequest

/**
 * Maximum waiting requests of all clients, and of each client. Further requests are rejected at once, because they
 * would wait longer than their clients do.
 */
const maxWaiting = { all: 200, each: 100 }
/** Maximum size of all waiting bodies. */
const maxBytes = { all: 96 * 1024 ** 2, each: 48 * 1024 ** 2 }
const limits = {
  patienceMs: 15_000,
  callerMs: 19_500, // the gateway waits 20 seconds for the content of a page
  /** Pages within the read limits need far less memory. V8 ends the whole process when a thread exceeds its heap. */
  maxMegabytes: 448,
}
/** The thread stays alive between occasional scans, so that they do not wait for it to start. */
const usualIdleMs = 10 * 60_000

/**
 * Returns the thread. Its methods throw a `Refusal`: 502 for a page that takes too long or too much memory, 503 when
 * too many requests wait.
 * @param timeoutMs maximum milliseconds for one page
 */
export function createContentThread(
  timeoutMs: number,
  { file = contentWorker, idleMs = usualIdleMs }: { file?: URL; idleMs?: number } = {},
): ContentThread {
  const thread = createThread<ThreadRequest, ThreadAnswer>({ file, timeoutMs, idleMs, ...limits })
  const [slots, bytes] = [createShares(maxWaiting), createShares(maxBytes)]

  async function send(
    request: ThreadRequest,
    size: number,
    owner: Owner,
    refusals = ofPages,
  ): Promise<ThreadAnswer> {
    using slot = slots.take(owner, 1)
    using held = slot && bytes.take(owner, size)
    if (held === null) throw busy()
    return await thread.request(request, owner).catch(error => {
      throw error instanceof ThreadTerminated ? refusals[error.why]() : error
    })
  }

  return {
    make: (request, owner) => send(request, request.body.byteLength, owner),
    compare: async (request, owner) =>
      (await send(request, request.old.body.byteLength + request.new.body.byteLength, owner)).json,
    transform: async (request, owner) =>
      (await send(request, request.body.byteLength, owner, ofDocuments)).json,
    scrape: async (request, owner) => (await send(request, request.page.text.length, owner)).json,
    see: (request, owner) => send(request, request.page.body.byteLength, owner),
    expect: () => thread.expect(),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

const contentWorker = new URL('content-worker.ts', import.meta.url)

const ofPages: Record<Why, () => Refusal> = {
  time: () => unreadable('timeout', 'The page was fetched, but reading it exceeded the time limit.'),
  memory: () => unreadable('too_large', 'The page was fetched, but reading it exceeded the memory limit.'),
  patience: busy,
  closed: busy,
}

const unreadable = (reason: 'timeout' | 'too_large', message: string): Refusal =>
  refuse('fetch_failed', { reason, message })

/**
 * Returns a thread that also makes the content of PDFs, from their text.
 * @param pdfs null: PDFs have no text
 */
export function withPdfs(thread: ContentThread, pdfs: Pick<PdfDocuments, 'document'> | null): ContentThread {
  if (pdfs === null) return thread
  type Page = Pick<ContentRequest, 'contentType' | 'body'>
  const read = async <Requested extends Page>(page: Requested, owner: Owner): Promise<Requested> =>
    isPdf(page.contentType, page.body) ? { ...page, pdf: await pdfs.document(page.body, owner) } : page
  return {
    ...thread,
    make: async (request, owner) => thread.make(await read(request, owner), owner),
    async compare(request, owner) {
      const [before, after] = await Promise.all([read(request.old, owner), read(request.new, owner)])
      return thread.compare({ ...request, old: before, new: after }, owner)
    },
  }
}
