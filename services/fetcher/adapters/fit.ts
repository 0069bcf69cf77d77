/**
 * Makes a body fit into a message: a large one that came without compression is compressed, and what is
 * still too large goes to the object store under a name that a repetition would choose again.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Bulky } from '@tidemark/bus/bulky'
import { insist } from '@tidemark/bus/insist'

/** A body as it travels: in the message, or under `bulkyKey` and then empty here. */
export type Travelling = { body: Uint8Array; encodings: string[]; bulkyKey: string | null }

export type Fit = (body: Buffer, encodings: string[], bulkyKey: string) => Promise<Travelling>

const worthCompressing = 4 * 1024 ** 2
const mostInMessage = 6 * 1024 ** 2
const nothing = Buffer.alloc(0)
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)

type Options = { bulky: Bulky; signal: AbortSignal; report: (error: unknown) => void }

export function createFit({ bulky, ...insistence }: Options): Fit {
  return async (asSent, asEncoded, bulkyKey) => {
    const isPlain = asEncoded.length === 0 && asSent.byteLength > worthCompressing
    const body = isPlain ? await gzip(asSent, { level: 1 }) : asSent
    const encodings = isPlain ? ['gzip'] : asEncoded
    if (body.byteLength <= mostInMessage) return { body, encodings, bulkyKey: null }
    await insist(() => bulky.put(bulkyKey, body), insistence)
    return { body: nothing, encodings, bulkyKey }
  }
}
