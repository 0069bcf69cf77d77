/**
 * Reads PDFs on a separate thread, which is terminated when a document takes too long or too much memory, because a few
 * bytes of a PDF can expand to very many. The thread runs only on demand.
 */
import type { PdfAnswer, PdfQuestion } from '../handlers/read-pdf.ts'
import type { Who } from '../turns/fair-line.ts'
import { createShares } from '../turns/shares.ts'
import { createThread, ThreadGaveUp } from '../turns/thread.ts'
import { busy, ofDocuments, unsupported } from './document-refusals.ts'

export type PdfThread = AsyncDisposable & {
  /** `TransformAnswer` as JSON. Throws a `Refusal`: 422 for unreadable documents, 503 when too many wait. */
  read(question: PdfQuestion, who: Who): Promise<Uint8Array>
}

const maxWaiting = { all: 20, each: 5 }
/** Maximum size of all waiting documents. */
const maxBytes = { all: 64 * 1024 ** 2, each: 32 * 1024 ** 2 }
const limits = {
  timeoutMs: 20_000,
  patienceMs: 20_000,
  callerMs: 59_000, // the gateway waits 60 seconds
  maxMegabytes: 256,
  maxMegabytesBeside: 256,
}

export function createPdfThread(): PdfThread {
  const thread = createThread<PdfQuestion, PdfAnswer>({
    file: new URL('pdf-worker.ts', import.meta.url),
    ...limits,
  })
  const [places, bytes] = [createShares(maxWaiting), createShares(maxBytes)]
  return {
    async read(question, who) {
      using place = places.take(who, 1)
      using held = place && bytes.take(who, question.body.byteLength)
      if (held === null) throw busy()
      const answer = await thread.ask(question, who).catch(error => {
        throw error instanceof ThreadGaveUp ? ofDocuments[error.why]() : error
      })
      if (answer.is === 'unreadable') throw unsupported(answer.message)
      return answer.json
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
