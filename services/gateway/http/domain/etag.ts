/** What names an answer by its bytes, so that a client need not be sent what it has (RFC 9110, 8.8.3 and 13.1.2). */
import { hash } from 'node:crypto'

/** A strong entity tag: equal for equal bytes, and for no others. */
export const etagOf = (body: string | Buffer): string => `"${hash('sha1', body, 'base64url')}"`

const opaqueTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/** Whether an If-None-Match names this tag, by weak comparison; `*` names whatever there is. */
export function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.matchAll(opaqueTag).some(([, tag]) => tag === etag)
}
