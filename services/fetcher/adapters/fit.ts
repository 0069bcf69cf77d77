/**
 * Makes a body fit into a message. A large uncompressed body is compressed. A body that is still too large goes to the
 * object store, under a name that a redelivery would choose again.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Bulky } from '@tidemark/bus/bulky'
import { type Insistence, insist } from '@tidemark/bus/insist'

/** A body as it is sent: in the message, or in the object store under `bulkyKey` and empty here. */
export type Travelling = { body: Uint8Array; encodings: string[]; bulkyKey: string | null }

/**
 * Returns null if the object store is full. Rejects if the store is away until the signal or the fetcher's shutdown
 * aborts.
 */
export type Fit = (
  body: Buffer,
  encodings: string[],
  bulkyKey: string,
  signal?: AbortSignal,
  /** Bytes that the message can hold of the body. */
  most?: number,
) => Promise<Travelling | null>

const worthCompressing = 4 * 1024 ** 2
/** Bytes of all blobs of a message. */
export const maxInMessage = 6 * 1024 ** 2
const nothing = Buffer.alloc(0)
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

export function createFit({ bulky, ...insistence }: Insistence & { bulky: Bulky }): Fit {
  return async (asSent, asEncoded, bulkyKey, signal = insistence.signal, most = maxInMessage) => {
    const isPlain = asEncoded.length === 0 && asSent.byteLength > worthCompressing
    const body = isPlain ? await gzip(asSent, { level: 1 }) : asSent
    const encodings = isPlain ? ['gzip'] : asEncoded
    if (body.byteLength <= most) return { body, encodings, bulkyKey: null }
    const isStored = await insist(() => store(bulky, bulkyKey, body), { ...insistence, signal })
    return isStored ? { body: nothing, encodings, bulkyKey } : null
  }
}

/** Waiting does not help when the store is full: messages must be read before space is free. */
const store = (bulky: Bulky, key: string, body: Uint8Array): Promise<boolean> =>
  bulky.put(key, body).then(
    () => true,
    error => {
      if (isFull(error)) return false
      throw error
    },
  )

/** The stream is full (10077), the disk or memory is full (10023, 10047), or the account is (10002). */
const full = new Set<unknown>([10077, 10047, 10023, 10002])

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && full.has(error.code)
