/**
 * Stores bodies that are too large for a message in the object store of NATS. The message then contains the key. Old
 * objects are swept by age.
 */
import { type ObjectStore, Objm, setSha256Backend } from '@nats-io/obj'
import { bulky as bucket } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { untilLost } from './link.ts'

export type Bulky = {
  /** Stores under a key of the caller's choice, and replaces an earlier value of that key. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Returns the bytes, or null if they were deleted or swept. Throws if they do not arrive in time, or the connection
   * breaks.
   */
  get(key: string): Promise<Uint8Array | null>
  /** Deletes a value. A missing key is not an error. */
  delete(key: string): Promise<void>
}

const defaultGetMs = 15_000

/** The digest of an object takes 0.7 ms per MiB. The default digest, written in JavaScript, takes 16 ms. */
setSha256Backend('native')

/**
 * Returns access to the bucket, which is declared elsewhere and looked up at the first use.
 * @param getMs maximum milliseconds for the bytes of one `get`: chunks that are removed during the read never arrive
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
      found.error.catch(() => {}) // its error is in `data` too, where it is handled
      return readAll(bus, found.data.getReader(), `${bucket}/${key}`, getMs)
    },
    async delete(key) {
      const objects = await store()
      if (await objects.info(key)) await objects.delete(key)
    },
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Returns all bytes. Always releases the reader, and with it the consumer on the server. */
async function readAll({ nc }: Bus, reader: Reader, what: string, limitMs: number): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`${what} did not arrive within ${limitMs} ms`)),
    limitMs,
  )
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
