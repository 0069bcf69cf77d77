/**
 * A thread of its own for work that keeps a processor busy for longer than others should wait, and that may be made
 * to be endless: what takes too long is given up by ending the thread.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Transferable, Worker } from 'node:worker_threads'
import { createFairLine, type Who } from './fair-line.ts'

export type Thread<Question, Answer> = AsyncDisposable & {
  /**
   * Whoever asks takes turns with the others. Rejects with `ThreadGaveUp`, or with what the work itself threw.
   * @param handed what of the question the thread gets itself, and no copy of it
   */
  ask(question: Question, who?: Who, handed?: readonly Transferable[]): Promise<Answer>
  /** Something will be asked soon: the thread starts meanwhile. */
  expect(): void
  /** How many wait or are being answered. */
  readonly waiting: number
}

export type ThreadOptions = {
  /** What the thread runs; it posts one message when it can be asked, and then one for each that it gets. */
  file: URL
  /** For one answer, from when its turn has come and the thread can be asked. */
  timeoutMs: number
  /** Until its turn has come; without it any time. */
  patienceMs?: number
  /** Without a question for so long the thread ends, and the next one waits until another has started. */
  idleMs?: number
  /** Of its heap: the last resort, for V8 may end the process with the thread. */
  mostMegabytes: number
  /** Of what it holds beside its heap, as buffers are; looked at some times a second. Without it any amount. */
  mostMegabytesBeside?: number
}

/** The question took too long or too much memory, its turn did not come in time, or the thread was closed. */
export type Why = 'time' | 'memory' | 'patience' | 'closed'

export class ThreadGaveUp extends Error {
  override readonly name = 'ThreadGaveUp'
  readonly why: Why

  constructor(why: Why, options?: ErrorOptions) {
    super(`the thread gave up: ${why}`, options)
    this.why = why
  }
}

type Sent<Question> = { question: Question; handed: readonly Transferable[] }

const usualIdleMs = 30_000
/** Loading what it runs takes half a second, and many times that where no processor is free: no fault of a page. */
const startMs = 20_000
const lookEveryMs = 50

/** The thread is started when it is wanted, and ended when nothing came for a while. */
export function createThread<Question extends object, Answer>(
  options: ThreadOptions,
): Thread<Question, Answer> {
  const { patienceMs = Number.POSITIVE_INFINITY, idleMs = usualIdleMs } = options
  let running: Running | null = null
  let idle: NodeJS.Timeout | undefined
  const line = createFairLine()
  let isClosed = false

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ended = running
    running = null
    await ended?.worker.terminate()
  }

  async function askNow(sent: Sent<Question>, since: number): Promise<Answer> {
    if (isClosed) throw new ThreadGaveUp('closed')
    if (performance.now() - since > patienceMs) throw new ThreadGaveUp('patience')
    try {
      const { worker, ready } = started()
      await ready
      return await answerOf<Answer>(worker, sent, options)
    } catch (error) {
      await stop()
      throw isClosed ? new ThreadGaveUp('closed', { cause: error }) : error
    } finally {
      rest()
    }
  }

  function started(): Running {
    clearTimeout(idle)
    running ??= startWorker(options)
    return running
  }

  function rest(): void {
    clearTimeout(idle)
    idle = setTimeout(stop, idleMs).unref()
  }

  return {
    ask(question, who = '', handed = []) {
      const since = performance.now()
      return line.join(who, () => askNow({ question, handed }, since))
    },
    expect() {
      if (isClosed || line.waiting > 0) return
      started()
      rest()
    },
    get waiting() {
      return line.waiting
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await stop()
      await line.idle()
      clearTimeout(idle)
    },
  }
}

/** `ready` rejects as an answer does, and with `patience` where it took too long. */
type Running = { worker: Worker; ready: Promise<unknown> }

function startWorker({ file, mostMegabytes }: ThreadOptions): Running {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } })
  worker.unref()
  worker.on('error', () => {}) // whoever waits for an answer hears of it
  const ready = nextMessage(worker, startMs, 'patience')
  ready.catch(() => {}) // so does whoever asks
  return { worker, ready }
}

async function answerOf<Answer>(
  worker: Worker,
  { question, handed }: Sent<object>,
  { timeoutMs, mostMegabytesBeside = Number.POSITIVE_INFINITY }: ThreadOptions,
): Promise<Answer> {
  const answer = nextMessage<Answer>(worker, timeoutMs, 'time')
  worker.postMessage(question, handed)
  if (!Number.isFinite(mostMegabytesBeside)) return answer
  const over = new AbortController()
  try {
    return await Promise.race([answer, tooMuchBeside(worker, mostMegabytesBeside, over.signal)])
  } finally {
    over.abort()
  }
}

/** What the thread posts next. */
async function nextMessage<Message>(worker: Worker, withinMs: number, late: Why): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>()
  const tooLate = setTimeout(() => reject(new ThreadGaveUp(late)), withinMs)
  const died = () => reject(new ThreadGaveUp('closed'))
  const failed = (cause: Error) =>
    reject(isOutOfMemory(cause) ? new ThreadGaveUp('memory', { cause }) : cause)
  worker.once('message', resolve).once('error', failed).once('exit', died)
  try {
    return await promise
  } finally {
    clearTimeout(tooLate)
    worker.off('message', resolve).off('error', failed).off('exit', died)
  }
}

/** Only ever rejects: when it holds too much, or the signal aborts. */
async function tooMuchBeside(worker: Worker, megabytes: number, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(lookEveryMs, undefined, { signal })
    const { external_memory: bytes } = await worker.getHeapStatistics().catch(gone)
    if (bytes > megabytes * 1024 ** 2) throw new ThreadGaveUp('memory')
  }
}

/** It ends, and whoever waits hears of that. */
const gone = () => ({ external_memory: 0 })

const isOutOfMemory = (error: Error): boolean => Reflect.get(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
