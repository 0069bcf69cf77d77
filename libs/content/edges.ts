/**
 * The links of a page as a compact blob, read again only when somebody asks for them: a version byte, then
 * zstd over JSON tuples. Empty fields at a tuple's end are left out, and no links at all are no bytes.
 */
import { compress, decompress } from './zstd.ts'

export type Edge = { href: string; anchor: string; rel: string | null; nofollow: boolean }

type Tuple = [href: string, anchor?: string, rel?: string | null, nofollow?: 1]

const version = 1
const maxBytes = 256 * 1024 ** 2

export function encodeEdges(edges: readonly Edge[]): Buffer {
  if (edges.length === 0) return Buffer.alloc(0)
  const packed = compress(Buffer.from(JSON.stringify(edges.map(tupleOf))))
  return Buffer.concat([Buffer.of(version), packed])
}

/** Throws on a blob that this version did not write. */
export function decodeEdges(blob: Uint8Array): Edge[] {
  if (blob.byteLength === 0) return []
  if (blob[0] !== version) throw new RangeError(`Edges of version ${blob[0]} cannot be read.`)
  const tuples: Tuple[] = JSON.parse(decompress(blob.subarray(1), maxBytes).toString())
  return tuples.map(([href, anchor = '', rel = null, nofollow = 0]) => ({
    href,
    anchor,
    rel,
    nofollow: nofollow === 1,
  }))
}

function tupleOf({ href, anchor, rel, nofollow }: Edge): Tuple {
  if (nofollow) return [href, anchor, rel, 1]
  if (rel !== null) return [href, anchor, rel]
  return anchor === '' ? [href] : [href, anchor]
}
