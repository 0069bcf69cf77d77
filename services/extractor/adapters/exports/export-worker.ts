/** The thread that writes one export: pages in, parts of the file out. */
import { createHash, hash } from 'node:crypto'
import { once } from 'node:events'
import { workerData } from 'node:worker_threads'
import { version } from '@tidemark/contracts/version'
import { formats } from '@tidemark/export/formats'
import type { ExportedAddress, ExportedPage, ExportSource, Part } from '@tidemark/export/page'
import { normalForm } from '@tidemark/url/normal-form'
import { decoded, exportPage, type SentPage } from '../../handlers/exports/export-pages.ts'
import type { Assignment, FilePart, FromThread, ToThread } from './export-thread.ts'

const { format, options, run, partBytes, maxBytes, port } = workerData as Assignment

class TooLarge extends Error {}

/** Number of pages in the export: the maximum of all readings. */
let records = 0
let lastStream = 0
const waiting = new Map<number, (batch: SentPage[] | null) => void>()
let taken = Promise.resolve()
let onTaken = () => {}

port.on('message', (message: ToThread) => {
  if (message.type === 'taken') return onTaken()
  const { stream, batch } = message
  waiting.get(stream)?.(batch)
})

const send = (message: FromThread, handed: ArrayBuffer[] = []): void => port.postMessage(message, handed)

async function* readAll(parts: readonly Part[]): AsyncGenerator<SentPage> {
  const stream = ++lastStream
  let count = 0
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<SentPage[] | null>()
    waiting.set(stream, resolve)
    send({ type: 'next', stream, parts })
    const batch = await promise
    if (batch === null) break
    count += batch.length
    yield* batch
  }
  waiting.delete(stream)
  records = Math.max(records, count)
}

const source: ExportSource = {
  run: {
    id: run.id,
    url: run.url,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt ?? run.startedAt,
    software: `Tidemark/${version}`,
  },
  async *addresses(): AsyncGenerator<ExportedAddress> {
    for await (const { listed } of readAll([]))
      yield { id: listed.id, url: listed.url, requestedUrl: listed.requestedUrl }
  },
  async *pages(parts): AsyncGenerator<ExportedPage> {
    for await (const page of readAll(parts)) yield exportPage(page, parts)
  },
  decode: decoded,
  normalize: url => normalForm(url),
}

/** Fills parts of a fixed size. Only the last one may be shorter, or empty in an empty file. */
async function writeFile(): Promise<void> {
  const whole = createHash('sha256')
  let [part, filled, number, bytes] = [new Uint8Array(partBytes), 0, 0, 0]
  for await (const chunk of formats[format].write(source, options)) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new TooLarge()
    whole.update(chunk)
    for (let at = 0; at < chunk.byteLength; ) {
      if (filled === partBytes) {
        await hand(part, ++number, false)
        part = new Uint8Array(partBytes)
        filled = 0
      }
      const piece = chunk.subarray(at, at + partBytes - filled)
      part.set(piece, filled)
      filled += piece.byteLength
      at += piece.byteLength
    }
  }
  await hand(part.slice(0, filled), ++number, true)
  await taken
  send({ type: 'end', written: { bytes, sha256: whole.digest('hex'), records, parts: number } })
}

/** Sends a part when the sink has taken the previous part. */
async function hand(data: Uint8Array<ArrayBuffer>, number: number, isLast: boolean): Promise<void> {
  await taken
  const { promise, resolve } = Promise.withResolvers<void>()
  taken = promise
  onTaken = resolve
  const part: FilePart = { number, data, sha256: hash('sha256', data), isLast }
  send({ type: 'part', part }, [data.buffer])
}

await writeFile().catch((error: unknown) =>
  send(
    error instanceof TooLarge
      ? { type: 'too_large' }
      : { type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  ),
)
await once(port, 'close')
