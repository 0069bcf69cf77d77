/**
 * Makes a body fit into a message: a large one that came without compression is compressed, and what is
 * still too large goes to the object store under a name that a repetition would choose again.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Bulky } from '@tidemark/bus/bulky'
import { type Insistence, insist } from '@tidemark/bus/insist'

/** A body as it travels: in the message, or under `bulkyKey` and then empty here. */
export type Travelling = { body: Uint8Array; encodings: string[]; bulkyKey: string | null }

/** Null where the object store is full. Rejects when it is away and the signal, or the fetcher's own end, comes before it is back. */
export type Fit = (
  body: Buffer,
  encodings: string[],
  bulkyKey: string,
  signal?: AbortSignal,
  /** Bytes of it that the message has room for. */
  most?: number,
) => Promise<Travelling | null>

const worthCompressing = 4 * 1024 ** 2
/** Bytes of all blobs of a message. */
export const mostInMessage = 6 * 1024 ** 2
const nothing = Buffer.alloc(0)
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

export function createFit({ bulky, ...insistence }: Insistence & { bulky: Bulky }): Fit {
  return async (asSent, asEncoded, bulkyKey, signal = insistence.signal, most = mostInMessage) => {
    const isPlain = asEncoded.length === 0 && asSent.byteLength > worthCompressing
    const body = isPlain ? await gzip(asSent, { level: 1 }) : asSent
    const encodings = isPlain ? ['gzip'] : asEncoded
    if (body.byteLength <= most) return { body, encodings, bulkyKey: null }
    const isStored = await insist(() => store(bulky, bulkyKey, body), { ...insistence, signal })
    return isStored ? { body: nothing, encodings, bulkyKey } : null
  }
}

/** Waiting does not help where there is no room: what would make some has to be read first. */
const store = (bulky: Bulky, key: string, body: Uint8Array): Promise<boolean> =>
  bulky.put(key, body).then(
    () => true,
    error => {
      if (isFull(error)) return false
      throw error
    },
  )

/** No room in the stream (10077), on the disk or in memory (10023, 10047), or for the account (10002). */
const full = new Set<unknown>([10077, 10047, 10023, 10002])

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && full.has(error.code)
