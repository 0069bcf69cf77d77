/**
 * Makes content on a thread that is ended when a page takes too long: no page can hold up another for more than that,
 * and nobody's pages more than one of another's each time.
 */
import { Refusal } from '@tidemark/bus/ask'
import type { Content } from '@tidemark/contracts/ask/content'
import { problems } from '@tidemark/contracts/problems'
import type { ContentQuestion } from '../domain/content.ts'
import type { Who } from '../turns/fair-line.ts'
import { createShares } from '../turns/shares.ts'
import { createThread, ThreadGaveUp, type Why } from '../turns/thread.ts'

/** @param who waits for it: those who do take turns */
export type MakeContent = (question: ContentQuestion, who: Who) => Promise<Content>
export type ContentThread = AsyncDisposable & { make: MakeContent }

/** What waits here for longer than a client does is better refused at once; nobody fills all of the line. */
const mostWaiting = { all: 200, each: 100 }
/** Of all bodies that wait. */
const mostBytes = { all: 96 * 1024 ** 2, each: 48 * 1024 ** 2 }
/** No page that is read as far as it is read comes near them: V8 ends the whole process where a thread does. */
const mostMegabytes = 448
const patienceMs = 15_000

/**
 * @param timeoutMs for one page. Throws a `Refusal`: 502 for a page that takes longer or too much memory, 503 when
 * too much waits.
 */
export function createContentThread(timeoutMs: number, file: URL = contentWorker): ContentThread {
  const thread = createThread<ContentQuestion, Content>({ file, timeoutMs, mostMegabytes, patienceMs })
  const [places, bytes] = [createShares(mostWaiting), createShares(mostBytes)]
  return {
    async make(question, who) {
      using place = places.take(who, 1)
      using held = place && bytes.take(who, question.body.byteLength)
      if (held === null) throw busy()
      return await thread.ask(question, who).catch(error => {
        throw error instanceof ThreadGaveUp ? refusals[error.why]() : error
      })
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

const contentWorker = new URL('content-worker.ts', import.meta.url)

const refusals: Record<Why, () => Refusal> = {
  time: () => unreadable('timeout', 'The page was fetched, but reading it took too long.'),
  memory: () => unreadable('too_large', 'The page was fetched, but reading it took too much memory.'),
  patience: () => busy(),
  closed: () => busy(),
}

function unreadable(reason: string, message: string): Refusal {
  return new Refusal({ status: problems.fetch_failed.status, code: 'fetch_failed', reason, message })
}

function busy(): Refusal {
  const { status, says: message } = problems.unavailable
  return new Refusal({ status, code: 'unavailable', message, retryAfterSeconds: 2 })
}
