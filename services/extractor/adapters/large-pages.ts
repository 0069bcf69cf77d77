/**
 * Reads large pages on a thread of their own: a page of megabytes keeps a processor busy for longer than others should
 * wait, and one that was made to be endless can be given up by ending its thread.
 */
import { Worker } from 'node:worker_threads'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import type { ReadBody } from '../handlers/read-body.ts'

export type LargePages = AsyncDisposable & {
  /** Rejects when reading takes too long, or more memory than it may. */
  read(page: FetchedPage, decoded: Buffer): Promise<ReadBody>
}

const timeoutMs = 20_000
const idleMs = 30_000
const mostMegabytes = 384

/** The thread is started when it is wanted, and ended when nothing came for a while. */
export function createLargePages(): LargePages {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let line: Promise<unknown> = Promise.resolve()

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  async function readNow(page: FetchedPage, decoded: Buffer): Promise<ReadBody> {
    clearTimeout(idle)
    worker ??= startWorker()
    try {
      return await answerOf(worker, { page, decoded })
    } catch (error) {
      await stop()
      throw error
    } finally {
      idle = setTimeout(stop, idleMs).unref()
    }
  }

  return {
    read(page, decoded) {
      const mine = line.then(() => readNow(page, decoded))
      line = mine.catch(() => {})
      return mine
    },
    [Symbol.asyncDispose]: stop,
  }
}

function startWorker(): Worker {
  const limits = { maxOldGenerationSizeMb: mostMegabytes }
  const worker = new Worker(new URL('large-page-worker.ts', import.meta.url), { resourceLimits: limits })
  worker.unref()
  worker.on('error', () => {}) // whoever waits for an answer hears of it
  return worker
}

async function answerOf(worker: Worker, question: object): Promise<ReadBody> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadBody>()
  const late = setTimeout(() => reject(new Error(`a page took longer than ${timeoutMs} ms`)), timeoutMs)
  const died = () => reject(new Error('the thread for large pages ended'))
  worker.once('message', resolve).once('error', reject).once('exit', died)
  worker.postMessage(question)
  try {
    return await promise
  } finally {
    clearTimeout(late)
    worker.off('message', resolve).off('error', reject).off('exit', died)
  }
}
