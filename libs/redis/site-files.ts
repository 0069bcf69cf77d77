/**
 * What sites answered to whoever asked for their texts for crawlers, remembered for all. Nothing in here must be
 * true: what is not remembered, or cannot be read, is asked for again.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { SiteFile } from '@tidemark/contracts/site-file'
import type { Redis } from 'ioredis'
import { Compile } from 'typebox/compile'

export type SiteFiles = {
  /** Null for what is not known, or not any more. Rejects while Redis is away. */
  find(url: string): Promise<SiteFile | null>
  /** For as long as it holds, which may be not at all. Rejects while Redis is away. */
  keep(url: string, file: SiteFile): Promise<void>
}

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)
const gunzip = promisify<Buffer, Buffer>(zlib.gunzip)
const files = Compile(SiteFile)

/** In this Redis, compressed. */
export const siteFilesIn = (redis: Pick<Redis, 'getBuffer' | 'set'>): SiteFiles => ({
  async find(url) {
    const bytes = await redis.getBuffer(keyOf(url))
    return bytes === null ? null : unpacked(bytes).catch(() => null)
  },
  async keep(url, file) {
    const lifeMs = lifeOf(file)
    if (lifeMs === 0) return
    const bytes = await gzip(Buffer.from(JSON.stringify(file)), { level: 1 })
    await redis.set(keyOf(url), bytes, 'PX', lifeMs)
  },
})

const keyOf = (url: string): string => `site-policy:${url}`

async function unpacked(bytes: Buffer): Promise<SiteFile | null> {
  const file: unknown = JSON.parse((await gunzip(bytes)).toString())
  return files.Check(file) ? file : null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Milliseconds for which it need not be asked for again; 0 for what says nothing of the site. */
export function lifeOf({ status, error }: SiteFile): number {
  if (error !== null) return mayBeOurs.has(error.reason) ? 0 : minuteMs
  return status !== null && (status >= 500 || status === 429) ? 5 * minuteMs : hourMs
}

/** Who had no time for an answer has not learned that there is none. */
const mayBeOurs = new Set(['timeout', 'aborted', 'proxy'])
