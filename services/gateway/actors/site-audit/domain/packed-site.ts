/** Packs the URLs of a run into the request for its links (`MapLinks`). */
import type { MapLinks } from '@tidemark/contracts/rpc/site-audit'
import type { OtherUrls } from './other-urls.ts'
import type { SitePages } from './site-pages.ts'

const keyBytes = 8
const otherBytes = keyBytes + 4

/** Links to broken pages and to all other URLs are watched. */
export function packedSite(
  pages: Pick<SitePages, 'keys' | 'isBroken'>,
  { all }: Pick<OtherUrls, 'all'>,
): Pick<MapLinks, 'keys' | 'others' | 'watched'> {
  const { keys } = pages
  const packedKeys = Buffer.alloc(keys.length * keyBytes)
  for (const [n, key] of keys.entries()) packedKeys.write(key, n * keyBytes, 'base64url')
  const packedOthers = Buffer.alloc(all.length * otherBytes)
  for (const [n, { key, end }] of all.entries()) {
    packedOthers.write(key, n * otherBytes, 'base64url')
    packedOthers.writeInt32LE(end, n * otherBytes + keyBytes)
  }
  const watched = Buffer.alloc(keys.length + all.length, 1)
  for (const n of keys.keys()) watched[n] = Number(pages.isBroken(n))
  return {
    keys: packedKeys.toString('base64'),
    others: packedOthers.toString('base64'),
    watched: watched.toString('base64'),
  }
}
