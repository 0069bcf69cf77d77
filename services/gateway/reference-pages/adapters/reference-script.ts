/**
 * Loads the script of the reference page from its package. It is megabytes of text in a module, so a separate thread
 * reads it once, on the first request of the page, and returns only the compressed bytes.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { keptOnce } from './documents.ts'

/** `packed` is compressed by gzip; `version` identifies the bytes. */
export type Script = { packed: Buffer; version: string }

const file = new URL('./reference-script.worker.ts', import.meta.url)

/** Returns a function that returns the script. It rejects if the package cannot be read; the next call retries. */
export const openReferenceScript = (): (() => Promise<Script>) => keptOnce(read)

async function read(): Promise<Script> {
  const worker = new Worker(file)
  try {
    const [{ packed, version }] = (await once(worker, 'message')) as [{ packed: Uint8Array; version: string }]
    return { packed: Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength), version }
  } finally {
    await worker.terminate()
  }
}
