/**
 * A separate thread for long computations, including input designed to be endless: work that takes too long is ended by
 * terminating the thread.
 */
import { type Transferable, Worker } from 'node:worker_threads'
import { createFairLine, type Owner } from '@tidemark/bus/fair-line'
import { type Runner, startProcess } from './thread-process.ts'

export type Thread<Request, Answer> = AsyncDisposable & {
  /**
   * Requests take turns by owner. Rejects with `ThreadTerminated`, or with the error of the work itself.
   * @param handed parts of the request that are transferred without a copy
   */
  request(request: Request, owner?: Owner, handed?: readonly Transferable[]): Promise<Answer>
  /** Starts the thread ahead of a request. */
  expect(): void
  /** Number of waiting and running requests. */
  readonly waiting: number
}

export type ThreadOptions = {
  /** The thread's module. It posts one message when ready, and then one for each request. */
  file: URL
  /** Processor time for one response, from the start of its turn on a ready thread. */
  timeoutMs: number
  /**
   * Time that the caller waits, from the request. If other work occupies the processors, the response may take three
   * times `timeoutMs`, but not longer than this; default unlimited.
   */
  callerMs?: number
  /** Maximum wait for the turn; default unlimited. */
  patienceMs?: number
  /** Idle time after which the thread ends. The next request waits for a new one. */
  idleMs?: number
  /** Heap limit of the thread, the last resort, because V8 may end the process with the thread. */
  maxMegabytes: number
  /** Memory limit besides its heap, such as buffers, checked several times a second. Default unlimited. */
  maxMegabytesBeside?: number
  /**
   * Runs the thread in a process of its own, for modules in which a small input can fill the heap by one large
   * allocation. Nothing is then transferred without a copy.
   */
  isProcess?: boolean
}

/** The request exceeded its time, memory or wait, or the thread was closed. */
export type Why = 'time' | 'memory' | 'patience' | 'closed'

export class ThreadTerminated extends Error {
  override readonly name = 'ThreadTerminated'
  readonly why: Why

  constructor(why: Why, options?: ErrorOptions) {
    super(`the thread gave up: ${why}`, options)
    this.why = why
  }
}

type Sent<Request> = { request: Request; handed: readonly Transferable[] }

const usualIdleMs = 30_000
/** Loading the module takes half a second, and far longer on a busy processor, through no fault of a page. */
const startMs = 20_000
const pollIntervalMs = 50
/** Most responses take less: only longer ones are measured. */
const unmeasuredMs = 250
const maxStretch = 3

/** Returns a thread that starts on demand and ends when idle. */
export function createThread<Request extends object, Answer>(
  options: ThreadOptions,
): Thread<Request, Answer> {
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

  async function requestNow(sent: Sent<Request>, since: number): Promise<Answer> {
    if (isClosed) throw new ThreadTerminated('closed')
    if (performance.now() - since > patienceMs) throw new ThreadTerminated('patience')
    try {
      const { worker, ready } = started()
      await ready
      return await answerOf<Answer>(worker, sent, { ...options, maxMs: maxMsOf(options, since) })
    } catch (error) {
      await stop()
      throw isClosed ? new ThreadTerminated('closed', { cause: error }) : error
    } finally {
      rest()
    }
  }

  function started(): Running {
    clearTimeout(idle)
    if (running !== null) return running
    const fresh = startWorker(options)
    running = fresh
    fresh.worker.once('exit', () => {
      if (running === fresh) running = null
    })
    return fresh
  }

  function rest(): void {
    clearTimeout(idle)
    idle = setTimeout(stop, idleMs).unref()
  }

  return {
    request(request, owner = '', handed = []) {
      const since = performance.now()
      return line.join(owner, () => requestNow({ request, handed }, since))
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

/** Returns the time for a response that was requested at `since`. It is never shorter than its processor time. */
function maxMsOf({ timeoutMs, callerMs = Number.POSITIVE_INFINITY }: ThreadOptions, since: number): number {
  const leftMs = callerMs - (performance.now() - since)
  return Math.min(timeoutMs * maxStretch, Math.max(timeoutMs, leftMs))
}

/** `ready` rejects like a request, and with `patience` if it takes too long. */
type Running = { worker: Runner; ready: Promise<unknown> }

function startWorker({ file, maxMegabytes, isProcess = false }: ThreadOptions): Running {
  const worker: Runner = isProcess
    ? startProcess(file, maxMegabytes)
    : new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } })
  worker.unref()
  worker.on('error', () => {}) // the pending request receives the error
  const ready = nextMessage(worker, startMs, 'patience')
  ready.catch(() => {}) // callers of ready receive the error
  return { worker, ready }
}

async function answerOf<Answer>(
  worker: Runner,
  { request, handed }: Sent<object>,
  { timeoutMs, maxMs, maxMegabytesBeside = Number.POSITIVE_INFINITY }: ThreadOptions & { maxMs: number },
): Promise<Answer> {
  const answer = nextMessage<Answer>(worker, maxMs, 'time')
  worker.postMessage(request, handed)
  using time = processorTimeLimit(worker, timeoutMs)
  using memory = Number.isFinite(maxMegabytesBeside) ? memoryLimit(worker, maxMegabytesBeside) : null
  return await Promise.race([answer, time.exceeded, ...(memory ? [memory.exceeded] : [])])
}

/** The next message of the thread. */
async function nextMessage<Message>(worker: Runner, withinMs: number, late: Why): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>()
  const tooLate = setTimeout(() => reject(new ThreadTerminated(late)), withinMs)
  const died = () => reject(new ThreadTerminated('closed'))
  const failed = (cause: Error) =>
    reject(isOutOfMemory(cause) ? new ThreadTerminated('memory', { cause }) : cause)
  worker.once('message', resolve).once('error', failed).once('exit', died)
  try {
    return await promise
  } finally {
    clearTimeout(tooLate)
    worker.off('message', resolve).off('error', failed).off('exit', died)
  }
}

/** `exceeded` only rejects, and not after the disposal. */
type Limit = Disposable & { exceeded: Promise<never> }

/**
 * Calls `look` after `firstMs`, and again after each number of milliseconds that it returns, until it throws or the
 * limit is disposed. Nearly all requests end before the first look. A timer costs a tenth of a sleep that is aborted.
 */
function limit(firstMs: number, look: () => Promise<number>): Limit {
  const { promise: exceeded, reject } = Promise.withResolvers<never>()
  let isOver = false
  let timer = setTimeout(lookAgain, firstMs)
  exceeded.catch(() => {}) // a limit that is exceeded after the response has no other reader
  return {
    exceeded,
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }

  async function lookAgain(): Promise<void> {
    try {
      const afterMs = await look()
      if (!isOver) timer = setTimeout(lookAgain, afterMs)
    } catch (error) {
      reject(error)
    }
  }
}

/** Rejects when the thread has used its processor time. The first part counts in full. */
function processorTimeLimit(worker: Runner, timeoutMs: number): Limit {
  let usedMs = Math.min(unmeasuredMs, timeoutMs)
  let offsetMs: number | null = null
  return limit(usedMs, async () => {
    const totalMs = await processorMs(worker)
    offsetMs ??= totalMs - usedMs
    usedMs = totalMs - offsetMs
    if (usedMs >= timeoutMs) throw new ThreadTerminated('time')
    return Math.max(timeoutMs - usedMs, pollIntervalMs)
  })
}

async function processorMs(worker: Runner): Promise<number> {
  const { user, system } = await worker.cpuUsage().catch(() => noTime)
  return (user + system) / 1_000
}

/** Processor time of a thread that has ended. Its `exit` event rejects the pending request. */
const noTime = { user: 0, system: 0 }

/** Rejects when the memory besides the heap is larger. */
const memoryLimit = (worker: Runner, megabytes: number): Limit =>
  limit(pollIntervalMs, async () => {
    const { external_memory: bytes } = await worker.getHeapStatistics().catch(() => noMemory)
    if (bytes > megabytes * 1024 ** 2) throw new ThreadTerminated('memory')
    return pollIntervalMs
  })

/** Memory of a thread that has ended, like `noTime`. */
const noMemory = { external_memory: 0 }

const isOutOfMemory = (error: Error): boolean => Reflect.get(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
