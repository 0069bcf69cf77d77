/**
 * Compiles and searches patterns on a separate thread that tenants share, never on the thread that serves HTTP
 * requests. Every request can be cancelled at any time. A thread that stays silent is terminated. The request that it
 * was working on fails as too costly, and a new thread receives all others.
 */
import { Worker } from 'node:worker_threads'
import type { Tenant } from './fair-work.ts'
import type { Filtered } from './path-filter.ts'
import { type PatternRequest, verdictOf } from './pattern-messages.ts'
import type { Checked, PatternLists } from './patterns.ts'

export type Judged = {
  /** Verdicts in the order of the URLs. The list is shorter if the budget was spent. */
  verdicts: (Filtered | null)[]
  /** Processor time in milliseconds. */
  spentMs: number
}

type For = { tenant: Tenant; signal?: AbortSignal | undefined }

export type PatternThread = AsyncDisposable & {
  /** Judges each URL by the patterns. Rejects if the signal aborts, or if the thread cannot be started. */
  judge(lists: PatternLists, urls: readonly string[], about: For & { budgetMs: number }): Promise<Judged>
  /** Returns whether a client may use the lists, else the reason and the pattern. */
  check(lists: PatternLists, about: For): Promise<Checked>
}

export type ThreadOptions = {
  file?: URL
  /** Milliseconds without requests after which the thread ends. The next request starts another one. */
  idleMs?: number
  /** Milliseconds without a message after which a working thread counts as hanging. */
  silentMs?: number
}

type Answer = { id: number; answer: Checked | number[]; spentMs: number }
type Waiting = {
  request: PatternRequest
  resolve: (answer: Omit<Answer, 'id'>) => void
  reject: (error: unknown) => void
}
type Running = { worker: Worker; current: Int32Array }

/**
 * Maximum heap of the thread in MB: several times the memory of cached patterns and waiting requests. V8 may end the
 * process if a thread exceeds it.
 */
const maxMegabytes = 512
const checkMs = 1_000

const tooCostly = 'The patterns could not be read in time: use fewer of them, or simpler ones.'

/** Returns a thread that starts at the first request. */
export function openPatternThread({
  file = new URL('./pattern.worker.ts', import.meta.url),
  idleMs = 30_000,
  silentMs = 30_000,
}: ThreadOptions = {}): PatternThread {
  const waiting = new Map<number, Waiting>()
  let running: Running | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let silenceTimer: NodeJS.Timeout | undefined
  let [lastId, lastMessageAt, isSuspected, isClosed] = [0, 0, false, false]

  function send(about: object, { tenant, signal }: For): Promise<Omit<Answer, 'id'>> {
    return new Promise((resolve, reject) => {
      if (isClosed) throw new Error('the thread of patterns is closed')
      signal?.throwIfAborted()
      lastId = (lastId % 0x7fffffff) + 1
      const id = lastId
      const end = () => settle(id, ({ reject }) => reject(signal?.reason), true)
      const done = () => signal?.removeEventListener('abort', end)
      signal?.addEventListener('abort', end, { once: true })
      const request = { id, tenant, ...about } as PatternRequest
      waiting.set(id, {
        request,
        resolve: answer => void [done(), resolve(answer)],
        reject: error => void [done(), reject(error)],
      })
      const { worker } = started()
      worker.ref()
      worker.postMessage(request)
    })
  }

  function settle(id: number, onFound: (found: Waiting) => void, isToEnd = false): void {
    const found = waiting.get(id)
    if (found === undefined) return
    waiting.delete(id)
    if (isToEnd) running?.worker.postMessage({ end: id })
    if (waiting.size === 0) pause()
    onFound(found)
  }

  function started(): Running {
    clearTimeout(idleTimer)
    if (running !== null) return running
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const worker = new Worker(file, {
      workerData: shared,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    })
    const fresh = { worker, current: new Int32Array(shared) }
    let because: unknown = new Error('the thread of patterns has ended')
    worker.on('error', error => (because = error))
    worker.on('exit', () => running === fresh && restartAfter(fresh, because))
    worker.on('message', ({ id, ...answer }: Answer) => {
      lastMessageAt = performance.now()
      settle(id, ({ resolve }) => resolve(answer))
    })
    running = fresh
    lastMessageAt = performance.now()
    silenceTimer ??= setInterval(checkSilence, checkMs).unref()
    return fresh
  }

  /**
   * Restarts the thread after its end and sends the waiting requests again, except the one that it was working on.
   * A thread that ended without working on a request could not start. Another would not start either, so all waiting
   * requests fail.
   */
  function restartAfter({ current }: Running, because: unknown): void {
    running = null
    const unfinished = Atomics.load(current, 0)
    if (unfinished === 0) for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(because))
    settle(unfinished, ({ request, resolve }) => resolve(tooCostlyAnswer(request)))
    if (waiting.size === 0) return
    const { worker } = started()
    for (const { request } of waiting.values()) worker.postMessage(request)
  }

  /**
   * Terminates the thread after two silent checks in a row. After one check, this process itself may have been
   * blocked and not yet have read the thread's messages.
   */
  function checkSilence(): void {
    const isSilent = waiting.size > 0 && performance.now() - lastMessageAt > silentMs
    if (isSilent && isSuspected) void running?.worker.terminate()
    isSuspected = isSilent
  }

  function pause(): void {
    running?.worker.unref()
    clearTimeout(idleTimer)
    idleTimer = setTimeout(stop, idleMs).unref()
  }

  async function stop(): Promise<void> {
    clearTimeout(idleTimer)
    clearInterval(silenceTimer)
    silenceTimer = undefined
    const ended = running
    running = null
    await ended?.worker.terminate()
  }

  return {
    async judge(lists, urls, { budgetMs, ...about }) {
      const { answer, spentMs } = await send({ lists, urls, budgetMs }, about)
      return { verdicts: (answer as number[]).map(number => verdictOf(lists, number)), spentMs }
    },
    check: async (lists, about) => (await send({ lists }, about)).answer as Checked,
    async [Symbol.asyncDispose]() {
      isClosed = true
      const closed = new Error('the thread of patterns is closed')
      for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(closed))
      await stop()
    },
  }
}

const tooCostlyAnswer = (request: PatternRequest): Omit<Answer, 'id'> =>
  'urls' in request
    ? { answer: [], spentMs: Number.POSITIVE_INFINITY }
    : { answer: { ok: false, list: listOf(request.lists), at: 0, because: tooCostly }, spentMs: 0 }

const listOf = ({ include = [] }: PatternLists): keyof PatternLists =>
  include.length > 0 ? 'include' : 'exclude'
