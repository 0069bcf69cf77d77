/** Makes content on a thread that is ended when a page takes too long: no page can hold up another for more than that. */
import { Refusal } from '@tidemark/bus/ask'
import type { Content } from '@tidemark/contracts/ask/content'
import { problems } from '@tidemark/contracts/problems'
import type { ContentQuestion } from '../domain/content.ts'
import { createThread, ThreadGaveUp, type Why } from './thread.ts'

export type MakeContent = (question: ContentQuestion) => Promise<Content>
export type ContentThread = AsyncDisposable & { make: MakeContent }

/**
 * What waits here for longer than a client does is better refused at once; the bytes are of all bodies together. No
 * page that is read as far as it is read comes near the megabytes: V8 ends the whole process where a thread does.
 */
const most = { waiting: 200, bytes: 96 * 1024 ** 2, megabytes: 448, patienceMs: 15_000 }

/**
 * @param timeoutMs for one page. Throws a `Refusal`: 502 for a page that takes longer or too much memory, 503 when
 * too much waits.
 */
export function createContentThread(timeoutMs: number): ContentThread {
  const { megabytes: mostMegabytes, patienceMs } = most
  const file = new URL('content-worker.ts', import.meta.url)
  const thread = createThread<ContentQuestion, Content>({ file, timeoutMs, mostMegabytes, patienceMs })
  let held = 0
  return {
    async make(question) {
      const { byteLength } = question.body
      const isFull = thread.waiting >= most.waiting || (held > 0 && held + byteLength > most.bytes)
      if (isFull) throw busy()
      held += byteLength
      try {
        return await thread.ask(question)
      } catch (error) {
        throw error instanceof ThreadGaveUp ? refusals[error.why]() : error
      } finally {
        held -= byteLength
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

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
