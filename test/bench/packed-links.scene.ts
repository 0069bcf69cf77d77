/** The links of stored runs, read as an extractor reads them. */
import { openPackedLinks, type PackedLinksReader } from '@tidemark/content/packed-links'
import { urlKey } from '@tidemark/url/key'
import pg from 'pg'
import type { RunFile } from '../e2e/system.ts'

export function readPackedLinks({ postgres }: RunFile): PackedLinksReader & AsyncDisposable {
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
  pool.on('error', () => {})
  return { ...openPackedLinks(pool, () => false), [Symbol.asyncDispose]: () => pool.end() }
}

/** Returns the keys of the URLs, 8 bytes each. */
export const keysOf = (urls: readonly string[]): Buffer =>
  Buffer.concat(urls.map(url => Buffer.from(urlKey(url), 'base64url')))
