/** The object store for what is too large for a message; the message then carries the key. Swept by age. */
import { type ObjectStore, Objm } from '@nats-io/obj'
import { bulky as bucket } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { untilLost } from './link.ts'

export type Bulky = {
  /** Stores under a key of the caller's choice; an earlier value of that key is replaced. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The bytes, or null when they were deleted or swept. Throws when they do not come in time, or the connection breaks. */
  get(key: string): Promise<Uint8Array | null>
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>
}

const defaultGetMs = 15_000

/**
 * The bucket is declared elsewhere and looked for at the first use.
 * @param getMs for the bytes of one `get`: pieces that were removed under it would never come
 */
export function openBulky(bus: Bus, { getMs = defaultGetMs }: { getMs?: number } = {}): Bulky {
  let opened: Promise<ObjectStore> | null = null
  const store = () => {
    opened ??= new Objm(bus.nc).open(bucket).catch(error => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    async put(key, bytes) {
      await (await store()).putBlob({ name: key }, bytes)
    },
    async get(key) {
      const objects = await store()
      const found = await untilLost(bus.nc, objects.get(key))
      if (found === null) return null
      found.error.catch(() => {}) // it is in `data` too, where it is heard
      return readAll(bus, found.data.getReader(), `${bucket}/${key}`, getMs)
    },
    async delete(key) {
      const objects = await store()
      if (await objects.info(key)) await objects.delete(key)
    },
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Lets go of the reader, and so of the server's consumer behind it, however it ends. */
async function readAll({ nc }: Bus, reader: Reader, what: string, limitMs: number): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} did not come within ${limitMs} ms`)), limitMs)
  const pieces: Uint8Array[] = []
  const reading = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value)
    return Buffer.concat(pieces)
  }
  try {
    return await untilLost(nc, Promise.race([reading(), late.promise]))
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
}
