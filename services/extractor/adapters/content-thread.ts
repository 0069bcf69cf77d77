/**
 * Makes content on a thread that is ended when a page takes too long: no page can hold up another for more than that,
 * and nobody's pages more than one of another's each time.
 */
import { Refusal } from '@tidemark/bus/ask'
import { problems } from '@tidemark/contracts/problems'
import type { ContentQuestion } from '../domain/content.ts'
import type { ComparisonQuestion } from '../handlers/comparison.ts'
import type { Who } from '../turns/fair-line.ts'
import { createShares } from '../turns/shares.ts'
import { createThread, ThreadGaveUp, type Why } from '../turns/thread.ts'

/**
 * `Content` as JSON, as it goes over the wire: a long text is not copied from thread to thread and then written.
 * @param who waits for it: those who do take turns
 */
export type MakeContent = (question: ContentQuestion, who: Who) => Promise<Uint8Array>
export type ContentThread = AsyncDisposable & {
  make: MakeContent
  /** `TextDifference` as JSON; else the same as `make`. */
  compare(question: ComparisonQuestion, who: Who): Promise<Uint8Array>
  /** A page is on its way: the thread starts meanwhile. */
  expect(): void
}

/** What the thread is asked. */
export type ThreadQuestion = ContentQuestion | ComparisonQuestion

/** What waits here for longer than a client does is better refused at once; nobody fills all of the line. */
const mostWaiting = { all: 200, each: 100 }
/** Of all bodies that wait. */
const mostBytes = { all: 96 * 1024 ** 2, each: 48 * 1024 ** 2 }
/** No page that is read as far as it is read comes near them: V8 ends the whole process where a thread does. */
const mostMegabytes = 448
const patienceMs = 15_000
/** Whoever scans a page now and then does not wait each time until a thread has started. */
const idleMs = 10 * 60_000

/**
 * @param timeoutMs for one page. Throws a `Refusal`: 502 for a page that takes longer or too much memory, 503 when
 * too much waits.
 */
export function createContentThread(timeoutMs: number, file: URL = contentWorker): ContentThread {
  const thread = createThread<ThreadQuestion, Uint8Array>({
    file,
    timeoutMs,
    mostMegabytes,
    patienceMs,
    idleMs,
  })
  const [places, bytes] = [createShares(mostWaiting), createShares(mostBytes)]

  async function ask(question: ThreadQuestion, size: number, who: Who): Promise<Uint8Array> {
    using place = places.take(who, 1)
    using held = place && bytes.take(who, size)
    if (held === null) throw busy()
    return await thread.ask(question, who).catch(error => {
      throw error instanceof ThreadGaveUp ? refusals[error.why]() : error
    })
  }

  return {
    make: (question, who) => ask(question, question.body.byteLength, who),
    compare: (question, who) =>
      ask(question, question.old.body.byteLength + question.new.body.byteLength, who),
    expect: () => thread.expect(),
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
