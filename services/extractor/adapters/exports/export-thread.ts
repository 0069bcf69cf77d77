/**
 * Writes an export on a thread of its own, so that compression delays no other work. The thread requests pages as it
 * proceeds. It sends the file in parts, and each part waits until the sink has taken the previous part.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { ListedRun } from '@tidemark/contracts/rpc/exports'
import type { ExportOptions, FormatName } from '@tidemark/export/format'
import type { Part } from '@tidemark/export/page'
import { ExportFault } from '../../domain/exports/export-job.ts'
import type { SentPage } from '../../handlers/exports/export-pages.ts'
import type { Written } from './leases.ts'
import type { PageFeed } from './page-feed.ts'

/** The work of a thread, passed as its `workerData`. */
export type Assignment = {
  format: FormatName
  options: ExportOptions
  run: ListedRun & { id: number }
  partBytes: number
  maxBytes: number
  port: MessagePort
}

export type FilePart = { number: number; data: Uint8Array<ArrayBuffer>; sha256: string; isLast: boolean }

/** Messages of the thread. `stream` identifies one reading of all pages. */
export type FromThread =
  | { type: 'next'; stream: number; parts: readonly Part[] }
  | { type: 'part'; part: FilePart }
  | { type: 'end'; written: Written }
  | { type: 'too_large' }
  | { type: 'failed'; message: string }

/** Messages to the thread. `batch` is null at the end of the stream. */
export type ToThread = { type: 'batch'; stream: number; batch: SentPage[] | null } | { type: 'taken' }

/** V8 may end the process when a thread exceeds its heap. The largest index and row group need far less. */
const maxMegabytes = 512

type Work = Omit<Assignment, 'port'> & {
  feed: PageFeed
  /** Stores a part. The next one is sent when it has resolved. */
  take: (part: FilePart) => Promise<void>
  signal: AbortSignal
}

/**
 * Writes the export. Rejects with the errors of `feed` and `take`, the reason of the signal, or `ExportFault`
 * (`too_large`).
 */
export async function writeOnThread({ feed, take, signal, ...assignment }: Work): Promise<Written> {
  signal.throwIfAborted()
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(new URL('export-worker.ts', import.meta.url), {
    workerData: { ...assignment, port: port2 } satisfies Assignment,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Written>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const streams = streamsOf(feed)
  const serve = async (message: FromThread): Promise<void> => {
    switch (message.type) {
      case 'next':
        return send(port1, { type: 'batch', ...(await streams.next(message.stream, message.parts)) })
      case 'part':
        await take(message.part)
        return send(port1, { type: 'taken' })
      case 'end':
        return resolve(message.written)
      case 'too_large':
        return reject(tooLarge(assignment.maxBytes))
      case 'failed':
        return reject(new Error(`the export could not be written: ${message.message}`))
    }
  }
  port1.on('message', (message: FromThread) => void serve(message).catch(reject))
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('the thread of the export ended')))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', stop)
    port1.close()
    await worker.terminate()
  }
}

const send = (port: MessagePort, message: ToThread): void => port.postMessage(message)

/** Reads the pages of each stream. It reads the next batch ahead while the thread works. */
function streamsOf(feed: PageFeed) {
  type Ahead = { batches: AsyncGenerator<SentPage[]>; next: Promise<IteratorResult<SentPage[], void>> }
  const open = new Map<number, Ahead>()
  const ahead = (batches: AsyncGenerator<SentPage[]>): Ahead => {
    const next = batches.next()
    next.catch(() => {}) // thrown when it is requested
    return { batches, next }
  }
  return {
    async next(stream: number, parts: readonly Part[]) {
      const { batches, next } = open.get(stream) ?? ahead(feed.batches(parts))
      const { value, done } = await next
      if (done) open.delete(stream)
      else open.set(stream, ahead(batches))
      return { stream, batch: value ?? null }
    },
  }
}

const tooLarge = (maxBytes: number) =>
  new ExportFault(
    'too_large',
    `The file exceeds ${maxBytes} bytes. Select fewer pages with url_prefix, status or max_depth.`,
  )
