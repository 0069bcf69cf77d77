/**
 * Parses and searches patterns on a separate thread that tenants share: the thread that serves requests never does. A
 * question can be cancelled at any time. A silent thread is terminated. The question in progress is rejected as too
 * costly, and all others are sent to a new thread.
 */
import { Worker } from 'node:worker_threads'
import type { Filtered } from './path-filter.ts'
import { type Question, verdictOf } from './pattern-messages.ts'
import type { Tenant } from './pattern-turns.ts'
import type { Checked, PatternLists } from './patterns.ts'

export type Judged = {
  /** In the order of the URLs; fewer where the budget was spent. */
  verdicts: (Filtered | null)[]
  /** Processor time that it took. */
  spentMs: number
}

type For = { tenant: Tenant; signal?: AbortSignal | undefined }

export type PatternThread = AsyncDisposable & {
  /** Returns the verdicts of the patterns on each URL. Rejects if the signal aborts or the thread cannot start. */
  judge(lists: PatternLists, urls: readonly string[], about: For & { budgetMs: number }): Promise<Judged>
  /** Whether the lists may be a client's. */
  check(lists: PatternLists, about: For): Promise<Checked>
}

export type ThreadOptions = {
  file?: URL
  /** Without a question for so long it ends, and the next one waits until another has started. */
  idleMs?: number
  /** A thread that is silent for this long during a question hangs. */
  silentMs?: number
}

type Answer = { id: number; answer: Checked | number[]; spentMs: number }
type Waiting = {
  question: Question
  resolve: (answer: Omit<Answer, 'id'>) => void
  reject: (error: unknown) => void
}
type Running = { worker: Worker; current: Int32Array }

/** Some tens of what patterns are kept and what waits; V8 may end the process with a thread that has more. */
const maxMegabytes = 512
const lookMs = 1_000

const tooCostly = 'The patterns could not be read in time: use fewer of them, or simpler ones.'

/** The thread is started when it is wanted. */
export function openPatternThread({
  file = new URL('./pattern.worker.ts', import.meta.url),
  idleMs = 30_000,
  silentMs = 30_000,
}: ThreadOptions = {}): PatternThread {
  const waiting = new Map<number, Waiting>()
  let running: Running | null = null
  let rest: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  let [lastId, heardAt, isSuspected, isClosed] = [0, 0, false, false]

  function ask(about: object, { tenant, signal }: For): Promise<Omit<Answer, 'id'>> {
    return new Promise((resolve, reject) => {
      if (isClosed) throw new Error('the thread of patterns is closed')
      signal?.throwIfAborted()
      lastId = (lastId % 0x7fffffff) + 1
      const id = lastId
      const end = () => settle(id, ({ reject }) => reject(signal?.reason), true)
      const done = () => signal?.removeEventListener('abort', end)
      signal?.addEventListener('abort', end, { once: true })
      const question = { id, tenant, ...about } as Question
      waiting.set(id, {
        question,
        resolve: answer => void [done(), resolve(answer)],
        reject: error => void [done(), reject(error)],
      })
      const { worker } = started()
      worker.ref()
      worker.postMessage(question)
    })
  }

  function settle(id: number, how: (asked: Waiting) => void, isToEnd = false): void {
    const asked = waiting.get(id)
    if (asked === undefined) return
    waiting.delete(id)
    if (isToEnd) running?.worker.postMessage({ end: id })
    if (waiting.size === 0) pause()
    how(asked)
  }

  function started(): Running {
    clearTimeout(rest)
    if (running !== null) return running
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const worker = new Worker(file, {
      workerData: shared,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    })
    const fresh = { worker, current: new Int32Array(shared) }
    let because: unknown = new Error('the thread of patterns has ended')
    worker.on('error', error => (because = error))
    worker.on('exit', () => running === fresh && goOnAfter(fresh, because))
    worker.on('message', ({ id, ...answer }: Answer) => {
      heardAt = performance.now()
      settle(id, ({ resolve }) => resolve(answer))
    })
    running = fresh
    heardAt = performance.now()
    watch ??= setInterval(look, lookMs).unref()
    return fresh
  }

  /** The question in progress is not repeated. Without one, the thread cannot be started, and neither could another. */
  function goOnAfter({ current }: Running, because: unknown): void {
    running = null
    const guilty = Atomics.load(current, 0)
    if (guilty === 0) for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(because))
    settle(guilty, ({ question, resolve }) => resolve(givenUp(question)))
    if (waiting.size === 0) return
    const { worker } = started()
    for (const { question } of waiting.values()) worker.postMessage(question)
  }

  /** Twice in a row: a process that was held up itself has not read yet what the thread has said meanwhile. */
  function look(): void {
    const isSilent = waiting.size > 0 && performance.now() - heardAt > silentMs
    if (isSilent && isSuspected) void running?.worker.terminate()
    isSuspected = isSilent
  }

  function pause(): void {
    running?.worker.unref()
    clearTimeout(rest)
    rest = setTimeout(stop, idleMs).unref()
  }

  async function stop(): Promise<void> {
    clearTimeout(rest)
    clearInterval(watch)
    watch = undefined
    const ended = running
    running = null
    await ended?.worker.terminate()
  }

  return {
    async judge(lists, urls, { budgetMs, ...about }) {
      const { answer, spentMs } = await ask({ lists, urls, budgetMs }, about)
      return { verdicts: (answer as number[]).map(number => verdictOf(lists, number)), spentMs }
    },
    check: async (lists, about) => (await ask({ lists }, about)).answer as Checked,
    async [Symbol.asyncDispose]() {
      isClosed = true
      const closed = new Error('the thread of patterns is closed')
      for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(closed))
      await stop()
    },
  }
}

const givenUp = (question: Question): Omit<Answer, 'id'> =>
  'urls' in question
    ? { answer: [], spentMs: Number.POSITIVE_INFINITY }
    : { answer: { ok: false, list: listOf(question.lists), at: 0, because: tooCostly }, spentMs: 0 }

const listOf = ({ include = [] }: PatternLists): keyof PatternLists =>
  include.length > 0 ? 'include' : 'exclude'
