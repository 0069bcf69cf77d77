/**
 * Reads PDFs on a separate thread, which is terminated when a document takes too long or too much memory, because a few
 * bytes of a PDF can expand to very many. The thread has its own process and runs only on demand.
 */

import type { Owner } from '@tidemark/bus/fair-line'
import type { Transform } from '@tidemark/contracts/rpc/transform'
import { createShares } from '../concurrency/shares.ts'
import { createThread, type Thread, type ThreadOptions, ThreadTerminated } from '../concurrency/thread.ts'
import type { PdfDocument, PdfHead } from '../domain/pdf/pdf-document.ts'
import type { PdfAnswer, PdfRequest } from '../handlers/read-pdf.ts'
import { busy, ofDocuments, unsupported } from './document-refusals.ts'

export type PdfThread = AsyncDisposable & {
  /** `TransformResponse` as JSON. Throws a `Refusal`: 422 for unreadable documents, 503 when too many wait. */
  read(body: Uint8Array, format: Transform['format'], owner: Owner): Promise<Uint8Array>
}

/** `fault`: the reason why a document cannot be read, as a warning. */
type Or<Found> = Found | { fault: string }

export type PdfDocuments = AsyncDisposable & {
  /** The decoded document. Throws a `Refusal` (503) when too many wait. */
  document(body: Uint8Array, owner: Owner): Promise<Or<PdfDocument>>
}

export type PdfHeads = AsyncDisposable & {
  /**
   * @param encoded the body as the origin sent it; rejects with `ThreadTerminated` when the thread is closed or does
   * not start in time
   */
  head(
    encoded: { body: Uint8Array; encodings: string[]; maxBytes: number },
    owner: Owner,
  ): Promise<Or<PdfHead>>
}

const maxWaiting = { all: 20, each: 5 }
/** Maximum size of all waiting documents. */
const maxBytes = { all: 64 * 1024 ** 2, each: 32 * 1024 ** 2 }
const memory = { maxMegabytes: 256, maxMegabytesBeside: 256, isProcess: true }

/** Reads documents that clients send. */
export function createPdfThread(): PdfThread {
  // The gateway waits 60 seconds.
  const thread = startThread({ timeoutMs: 20_000, patienceMs: 20_000, callerMs: 59_000 })
  const held = holding()
  return {
    async read(body, format, owner) {
      using _share = held(owner, body.byteLength)
      const answer = await thread.request({ parts: 'text', body, format }, owner).catch(error => {
        throw error instanceof ThreadTerminated ? ofDocuments[error.why]() : error
      })
      if (answer.type === 'unreadable') throw unsupported(messages[answer.why])
      return found(answer, 'read').json
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

/** Reads pages that are PDFs, for their content. */
export function createPdfDocuments(): PdfDocuments {
  // The gateway waits 20 seconds for the content of a page.
  const thread = startThread({ timeoutMs: 10_000, patienceMs: 8_000, callerMs: 17_000 })
  const held = holding()
  return {
    async document(body, owner) {
      using _share = held(owner, body.byteLength)
      const answer = await thread.request({ parts: 'document', body }, owner).catch(orBusy)
      if ('fault' in answer) return answer
      return answer.type === 'unreadable' ? { fault: faults[answer.why] } : found(answer, 'document').document
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

/** Processor time for the head of a document. */
const headMs = 5_000

/** Reads the heads of fetched PDFs, one at a time. Runs take turns. */
export const createPdfHeads = (): PdfHeads => headsOn(startThread({ timeoutMs: headMs }), orAgain)

/**
 * Reads the heads of stored PDFs again. Also rejects for a document that exceeds its time or memory, because a busy
 * machine may be the cause, which would look like a change of the document.
 */
export const createStoredPdfHeads = (): PdfHeads =>
  headsOn(startThread({ timeoutMs: headMs, patienceMs: 10_000, callerMs: 20_000 }), error => {
    throw error
  })

function headsOn(
  thread: Thread<PdfRequest, PdfAnswer>,
  orFault: (error: unknown) => { fault: string },
): PdfHeads {
  return {
    async head(encoded, owner) {
      const answer = await thread.request({ parts: 'head', ...encoded }, owner).catch(orFault)
      if ('fault' in answer) return answer
      return answer.type === 'unreadable' ? { fault: faults[answer.why] } : found(answer, 'head').head
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

const messages = {
  corrupt: 'The PDF is corrupt and cannot be read.',
  encrypted: 'The PDF is encrypted and requires a password. Send it without a password.',
}

const faults = {
  corrupt: 'the PDF is corrupt and cannot be read',
  encrypted: 'the PDF is encrypted and requires a password',
  patience: 'the PDF was not read in time',
  time: 'reading the PDF exceeded the time limit',
  memory: 'reading the PDF exceeded the memory limit',
}

/** Throws 503 for a document that only waited. Otherwise like `faultOf`. */
function orBusy(error: unknown): { fault: string } {
  if (error instanceof ThreadTerminated && (error.why === 'patience' || error.why === 'closed')) throw busy()
  return faultOf(error)
}

/** Throws if the document only waited. Otherwise like `faultOf`. */
function orAgain(error: unknown): { fault: string } {
  if (error instanceof ThreadTerminated && error.why === 'patience') throw error
  return faultOf(error)
}

/** The reason why a document was not read. Throws when the thread was closed, and any other error. */
function faultOf(error: unknown): { fault: string } {
  if (!(error instanceof ThreadTerminated) || error.why === 'closed') throw error
  return { fault: faults[error.why] }
}

const startThread = (
  times: Pick<ThreadOptions, 'timeoutMs' | 'patienceMs' | 'callerMs'>,
): Thread<PdfRequest, PdfAnswer> =>
  createThread({ file: new URL('pdf-worker.ts', import.meta.url), ...times, ...memory })

/** Bounds the documents in memory. Throws a `Refusal` (503) if there are too many. */
function holding() {
  const [slots, bytes] = [createShares(maxWaiting), createShares(maxBytes)]
  return (owner: Owner, size: number): Disposable => {
    using taken = new DisposableStack()
    if (taken.use(slots.take(owner, 1)) && taken.use(bytes.take(owner, size))) return taken.move()
    throw busy()
  }
}

function found<Kind extends PdfAnswer['type']>(
  answer: PdfAnswer,
  type: Kind,
): Extract<PdfAnswer, { type: Kind }> {
  if (answer.type !== type) throw new Error(`the thread answered ${answer.type} instead of ${type}`)
  return answer as Extract<PdfAnswer, { type: Kind }>
}
