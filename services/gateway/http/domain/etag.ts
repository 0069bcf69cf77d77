/** Computes entity tags, so that clients need not download an unchanged response (RFC 9110, 8.8.3 and 13.1.2). */
import { hash } from 'node:crypto'

/** Returns a strong entity tag: equal bytes have equal tags, and different bytes different ones. */
export const etagOf = (body: string | Buffer): string => `"${hash('sha1', body, 'base64url')}"`

/** Matches a strong tag, and the quoted part of a weak tag such as `W/"a"`. */
const opaqueTag = /"[\x21\x23-\x7e\x80-\xff]*"/g

/** Returns whether an If-None-Match names this tag, by weak comparison. `*` names any tag. */
export function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.matchAll(opaqueTag).some(([tag]) => tag === etag)
}
