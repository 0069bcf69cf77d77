/**
 * Encodes the links of a page as a compact blob, which is decoded only on demand: a version byte, the number of links
 * to each site, then zstd over JSON tuples. Empty fields at the end of a tuple are left out. An empty list takes no
 * bytes.
 */
import { countsOf, type Extent, isOf, linkCountIn, siteOf, sizeOfCounts } from './edge-counts.ts'
import { compress, decompress } from './zstd.ts'

export type Edge = { href: string; anchor: string; rel: string | null; nofollow: boolean }

type Tuple = [href: string, anchor?: string, rel?: string | null, nofollow?: 1]

/** The first version has no counts. */
const uncounted = 1
const counted = 2
const maxBytes = 256 * 1024 ** 2

/**
 * Encodes links.
 * @param edges Links with hrefs in normal form.
 * @param domain The registrable domain of the page, for which links to every host are counted; empty: no domain.
 */
export function encodeEdges(edges: readonly Edge[], domain = ''): Buffer {
  if (edges.length === 0) return Buffer.alloc(0)
  const packed = compress(Buffer.from(JSON.stringify(edges.map(tupleOf))))
  const counts = countsOf(
    edges.map(({ href }) => href),
    domain,
  )
  return Buffer.concat([Buffer.of(counted), counts, packed])
}

/** Decodes links. Throws on a blob of an unknown version. */
export function decodeEdges(blob: Buffer): Edge[] {
  if (blob.byteLength === 0) return []
  const tuples: Tuple[] = JSON.parse(unpackEdges(blob).toString())
  return tuples.map(([href, anchor = '', rel = null, nofollow = 0]) => ({
    href,
    anchor,
    rel,
    nofollow: nofollow === 1,
  }))
}

type Unpack = (frame: Buffer, maxBytes: number) => Buffer

/** Returns the JSON of a blob that is not empty. Throws like `decodeEdges`. */
export const unpackEdges = (blob: Buffer, unpack: Unpack = decompress): Buffer =>
  unpack(packedOf(blob), maxBytes)

/**
 * Returns the number of links that `edgesWithin` returns, or null if only decoding can show it.
 * @param head The first `headBytes` of a blob.
 */
export function countWithin(head: Buffer, extent: Extent): number | null {
  if (head.byteLength === 0) return 0
  return head[0] === counted ? linkCountIn(head.subarray(1), extent) : null
}

/** Returns the links to hosts of the extent, in order. */
export const edgesWithin = (edges: readonly Edge[], extent: Extent): Edge[] =>
  edges.filter(({ href }) => isOf(extent, siteOf(href)))

/**
 * Returns the extent of the links of a page.
 * @param url URL of the page in normal form.
 * @param wideScope The host whose subdomains the run includes; null: the run has one host, that of the page.
 */
export const extentOf = (url: string, wideScope: string | null): Extent =>
  wideScope === null ? { host: siteOf(url), subdomains: false } : { host: wideScope, subdomains: true }

function packedOf(blob: Buffer): Buffer {
  const rest = blob.subarray(1)
  if (blob[0] === uncounted) return rest
  if (blob[0] === counted) return rest.subarray(sizeOfCounts(rest))
  throw new RangeError(`Edges of version ${blob[0]} cannot be read.`)
}

function tupleOf({ href, anchor, rel, nofollow }: Edge): Tuple {
  if (nofollow) return [href, anchor, rel, 1]
  if (rel !== null) return [href, anchor, rel]
  return anchor === '' ? [href] : [href, anchor]
}
