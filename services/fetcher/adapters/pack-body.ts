/**
 * Makes a body fit into a message. A large uncompressed body is compressed. A body that is still too large goes to the
 * object store, under a name that a redelivery would choose again.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Bulky } from '@tidemark/bus/bulky'
import { type Insistence, insist } from '@tidemark/bus/insist'

/** A body as it is sent: in the message; or in the object store under `bulkyKey`, and `body` is empty. */
export type PackedBody = { body: Uint8Array; encodings: string[]; bulkyKey: string | null }

/**
 * Returns the body as it is sent, or null if the object store is full. While the store is away, it retries, and
 * rejects when the signal aborts or the fetcher stops.
 */
export type PackBody = (
  body: Buffer,
  encodings: string[],
  bulkyKey: string,
  signal?: AbortSignal,
  /** Maximum bytes of the body in the message. */
  maxInlineBytes?: number,
) => Promise<PackedBody | null>

const compressAboveBytes = 4 * 1024 ** 2
/** Maximum bytes of all blobs of a message. */
export const maxInMessage = 6 * 1024 ** 2
/** Content coding of a picture: none, so that it is not compressed, because PNG is compressed already. */
export const pictureEncodings = ['identity']
const nothing = Buffer.alloc(0)
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

export function createPackBody({ bulky, ...insistence }: Insistence & { bulky: Bulky }): PackBody {
  return async (asSent, asEncoded, bulkyKey, signal = insistence.signal, maxInlineBytes = maxInMessage) => {
    const isPlain = asEncoded.length === 0 && asSent.byteLength > compressAboveBytes
    const body = isPlain ? await gzip(asSent, { level: 1 }) : asSent
    const encodings = isPlain ? ['gzip'] : asEncoded
    if (body.byteLength <= maxInlineBytes) return { body, encodings, bulkyKey: null }
    const isStored = await insist(() => store(bulky, bulkyKey, body), { ...insistence, signal })
    return isStored ? { body: nothing, encodings, bulkyKey } : null
  }
}

/** Returns false if the store is full. Waiting would not help, because messages must be read to free space. */
const store = (bulky: Bulky, key: string, body: Uint8Array): Promise<boolean> =>
  bulky.put(key, body).then(
    () => true,
    error => {
      if (isFull(error)) return false
      throw error
    },
  )

/** Error codes for a full stream (10077), disk or memory (10023, 10047), or account (10002). */
const full = new Set<unknown>([10077, 10047, 10023, 10002])

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && full.has(error.code)
