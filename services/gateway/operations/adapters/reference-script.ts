/**
 * The program of the reference page, as the package of its makers carries it. It is megabytes of text in a module, so
 * a thread of its own reads it once, when the page is first asked for, and leaves nothing behind but the packed bytes.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** `packed` is gzip; `version` names its bytes. */
export type Script = { packed: Buffer; version: string }

const file = new URL('./reference-script.worker.ts', import.meta.url)

/** Rejects when the package cannot be read; whoever asks again is answered anew. */
export function openReferenceScript(): () => Promise<Script> {
  let reading: Promise<Script> | undefined
  return async () => {
    reading ??= read()
    try {
      return await reading
    } catch (error) {
      reading = undefined
      throw error
    }
  }
}

async function read(): Promise<Script> {
  const worker = new Worker(file)
  try {
    const [{ packed, version }] = (await once(worker, 'message')) as [{ packed: Uint8Array; version: string }]
    return { packed: Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength), version }
  } finally {
    await worker.terminate()
  }
}
