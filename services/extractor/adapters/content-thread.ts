/**
 * Makes content on a thread that is ended when a page takes too long: no page can hold up another for more than that,
 * and nobody's pages more than one of another's each time.
 */
import { Refusal } from '@tidemark/bus/ask'
import { problems } from '@tidemark/contracts/problems'
import type { ContentQuestion } from '../domain/content.ts'
import type { ReadingQuestion } from '../handlers/actors/read-seen.ts'
import type { ComparisonQuestion } from '../handlers/comparison.ts'
import type { SiteQuestion } from '../handlers/read-site-page.ts'
import type { TransformQuestion } from '../handlers/transform-html.ts'
import type { Who } from '../turns/fair-line.ts'
import { createShares } from '../turns/shares.ts'
import { createThread, ThreadGaveUp, type Why } from '../turns/thread.ts'
import { busy, ofDocuments } from './document-refusals.ts'

/** Answers as JSON, as they go over the wire: a long text is not copied from thread to thread and then written. */
export type ThreadAnswer = {
  json: Uint8Array
  /** What is decided by without reading it again: whose challenge the page is, and whether it is but a shell. */
  challenge: string | null
  isShell: boolean
}

export type ContentThread = AsyncDisposable & {
  /**
   * `Content`.
   * @param who waits for it: those who do take turns
   */
  make(question: ContentQuestion, who: Who): Promise<ThreadAnswer>
  /** `TextDifference`; else the same as `make`. */
  compare(question: ComparisonQuestion, who: Who): Promise<Uint8Array>
  /** `TransformAnswer`; else the same as `make`. */
  transform(question: TransformQuestion, who: Who): Promise<Uint8Array>
  /** `SiteEntries`; else the same as `make`. */
  scrape(question: SiteQuestion, who: Who): Promise<Uint8Array>
  /** `SeenAs`; else the same as `make`. */
  see(question: ReadingQuestion, who: Who): Promise<ThreadAnswer>
  /** A page is on its way: the thread starts meanwhile. */
  expect(): void
}

/** What the thread is asked. */
export type ThreadQuestion =
  | ContentQuestion
  | ComparisonQuestion
  | TransformQuestion
  | SiteQuestion
  | ReadingQuestion

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
  const thread = createThread<ThreadQuestion, ThreadAnswer>({
    file,
    timeoutMs,
    mostMegabytes,
    patienceMs,
    idleMs,
  })
  const [places, bytes] = [createShares(mostWaiting), createShares(mostBytes)]

  async function ask(
    question: ThreadQuestion,
    size: number,
    who: Who,
    refusals = ofPages,
  ): Promise<ThreadAnswer> {
    using place = places.take(who, 1)
    using held = place && bytes.take(who, size)
    if (held === null) throw busy()
    return await thread.ask(question, who).catch(error => {
      throw error instanceof ThreadGaveUp ? refusals[error.why]() : error
    })
  }

  return {
    make: (question, who) => ask(question, question.body.byteLength, who),
    compare: async (question, who) =>
      (await ask(question, question.old.body.byteLength + question.new.body.byteLength, who)).json,
    transform: async (question, who) =>
      (await ask(question, question.body.byteLength, who, ofDocuments)).json,
    scrape: async (question, who) => (await ask(question, question.page.text.length, who)).json,
    see: (question, who) => ask(question, question.page.body.byteLength, who),
    expect: () => thread.expect(),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

const contentWorker = new URL('content-worker.ts', import.meta.url)

const ofPages: Record<Why, () => Refusal> = {
  time: () => unreadable('timeout', 'The page was fetched, but reading it took too long.'),
  memory: () => unreadable('too_large', 'The page was fetched, but reading it took too much memory.'),
  patience: () => busy(),
  closed: () => busy(),
}

function unreadable(reason: string, message: string): Refusal {
  return new Refusal({ status: problems.fetch_failed.status, code: 'fetch_failed', reason, message })
}
