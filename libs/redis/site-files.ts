/**
 * Caches the files that sites have for crawlers, such as robots.txt, for all processes. Files that are not cached, or
 * whose cached form cannot be read, are fetched again.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { SiteFile } from '@tidemark/contracts/site-file'
import type { Redis } from 'ioredis'
import { Compile } from 'typebox/compile'

export type SiteFiles = {
  /** Returns the file; null: it is not cached, or has expired. Rejects while Redis is unavailable. */
  find(url: string): Promise<SiteFile | null>
  /**
   * Stores a file for its lifetime, which may be 0. Returns false if the file is too large, so that no process finds it.
   * Rejects while Redis is unavailable.
   */
  keep(url: string, file: SiteFile): Promise<boolean>
}

/**
 * Maximum size of a compressed file in bytes. A robots.txt of 2,000 lines has about 12 KB. Sites choose these texts, and
 * larger ones would evict the clocks of hosts from the same Redis. They are requested more often instead.
 */
const maxBytes = 64 * 1024

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)
const gunzip = promisify<Buffer, Buffer>(zlib.gunzip)
const files = Compile(SiteFile)

/** Compresses a file. */
type Pack = (bytes: Buffer) => Promise<Buffer>

const packed: Pack = bytes => gzip(bytes, { level: 1 })

/** Returns the cache in this Redis, whose values are compressed. */
export const siteFilesIn = (
  redis: Pick<Redis, 'getBuffer' | 'set' | 'del'>,
  pack: Pack = packed,
): SiteFiles => ({
  async find(url) {
    const bytes = await redis.getBuffer(keyOf(url))
    return bytes === null ? null : unpacked(bytes).catch(() => null)
  },
  async keep(url, file) {
    const lifeMs = lifeOf(file)
    if (lifeMs === 0) return true
    const bytes = await pack(Buffer.from(JSON.stringify(file)))
    const isKept = bytes.byteLength <= maxBytes
    if (isKept) await redis.set(keyOf(url), bytes, 'PX', lifeMs)
    else await redis.del(keyOf(url)) // an earlier version of the file
    return isKept
  },
})

const keyOf = (url: string): string => `site-policy:${url}`

async function unpacked(bytes: Buffer): Promise<SiteFile | null> {
  const file: unknown = JSON.parse((await gunzip(bytes)).toString())
  return files.Check(file) ? file : null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Returns the lifetime in milliseconds; 0: the failure may not be the site's. */
export function lifeOf({ status, error }: SiteFile): number {
  if (error !== null) return mayBeOurs.has(error.reason) ? 0 : minuteMs
  return status !== null && (status >= 500 || status === 429) ? 5 * minuteMs : hourMs
}

/** Failures that may have their cause on our side. They do not prove that the site has no file. */
const mayBeOurs = new Set(['timeout', 'aborted', 'proxy'])
