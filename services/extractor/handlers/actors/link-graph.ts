/**
 * Reads the links of a run and ranks its pages. Input arrives in batches. Memory holds two numbers per link: the texts
 * of the few reported links are read again.
 */
import { EdgeScan, nameOf } from '@tidemark/content/edge-scan'
import type { PackedLinks } from '@tidemark/content/packed-links'
import type { RankedLinks } from '@tidemark/contracts/rpc/link-graph'
import { type AnchorCount, anchorCountsOf } from '../../domain/actors/graph/anchor-counts.ts'
import { AnchorNames } from '../../domain/actors/graph/anchor-names.ts'
import { anchorTexts } from '../../domain/actors/graph/anchor-texts.ts'
import { withoutCircles } from '../../domain/actors/graph/canonicals.ts'
import { GraphPages, keyBytes } from '../../domain/actors/graph/graph-pages.ts'
import { LinkLog } from '../../domain/actors/graph/link-log.ts'
import { rankedLinksOf } from '../../domain/actors/graph/ranked-links.ts'
import { PageLinks } from './page-links.ts'

export type GraphRequest = {
  /** As in `RankLinks`, in bytes. */
  keys: Uint8Array
  redirects: Uint8Array
  start: number
  forwards?: readonly number[]
  topN: number
}

/** Reads the links of the next pages of the run, or of the first of the named pages. Null: there are no more. */
export type ReadLinks = (wanted: 'next' | string[]) => Promise<PackedLinks | null>

/** Characters of a URL key. */
const keyLength = 11
/** Maximum number of texts per target. */
const maxAnchors = 20
/** Pages per read for texts. */
const pagesAtOnce = 200

/** Throws the errors of `read`. */
export async function linkGraph(request: GraphRequest, read: ReadLinks): Promise<RankedLinks> {
  const { start, forwards = [], topN } = request
  const keys = Buffer.from(request.keys)
  const secret = crypto.getRandomValues(new Int32Array(3))
  const graphPages = new GraphPages(keys, Buffer.from(request.redirects), secret)
  const links = new LinkLog(graphPages.pages)
  const names = new AnchorNames(secret)
  const canonicals = new Int32Array(graphPages.pages).fill(-1)
  const scan = new EdgeScan()
  const pageLinks = new PageLinks()
  for (let batch = await read('next'); batch !== null; batch = await read('next')) {
    eachPage(batch, graphPages, scan, (page, n) => {
      canonicals[page] = canonicalOf(batch.canonicals[n] ?? null, graphPages)
      pageLinks.record(page, scan, batch.silent[n] === 1, { graphPages, links, names })
    })
  }
  const graph = { links, canonicals: withoutCircles(canonicals), start, forwards }
  const { recipients, ...ranked } = rankedLinksOf(graph, topN)
  const targets = recipients.map(([page]) => page)
  const counts = anchorCountsOf(links, targets, maxAnchors)
  const texts = await textsOf(counts.flat(), names, async (pages, see) => {
    const wanted = pages.map(page => keyOf(keys, page))
    for await (const batch of readAgain(wanted, read)) eachPage(batch, graphPages, scan, () => see(scan))
  })
  const { anchors, isCut } = anchorTexts(counts, texts)
  return { ...ranked, recipients, anchors, warnings: cut(links, names, isCut) }
}

/** Yields the links of the pages that still exist, a few pages at a time. */
async function* readAgain(keys: readonly string[], read: ReadLinks): AsyncGenerator<PackedLinks> {
  for (const left = new Set(keys); left.size > 0; ) {
    const batch = await read([...left])
    if (batch === null || batch.sizes.length === 0) return
    yield batch
    for (const n of batch.sizes.keys()) left.delete(keyIn(batch, n))
  }
}

/** Opens the links of each page, and calls back with the position of the page in the run and in the batch. */
export function eachPage(
  batch: PackedLinks,
  graphPages: GraphPages,
  scan: EdgeScan,
  see: (page: number, n: number) => void,
): void {
  const { sizes, blobs } = batch
  let at = blobs.byteOffset
  for (const [n, size] of sizes.entries()) {
    const page = graphPages.ofPage(keyIn(batch, n))
    scan.open(Buffer.from(blobs.buffer, at, size))
    if (page >= 0) see(page, n)
    at += size
  }
}

export function canonicalOf(url: string | null, graphPages: GraphPages): number {
  if (url === null) return -1
  const name = nameOf(url)
  return graphPages.met(name.low, name.high) ?? graphPages.ofNamed(name, url)
}

/** Returns the texts of these numbers. @param show reads pages again and opens the links of each that exists */
async function textsOf(
  wanted: readonly AnchorCount[],
  names: AnchorNames,
  show: (pages: number[], see: (scan: EdgeScan) => void) => Promise<void>,
): Promise<Map<number, string | null>> {
  const texts = new Map<number, string | null>(wanted.map(({ anchor }) => [anchor, null]))
  const pages = [...new Set([...texts.keys()].map(anchor => names.pageOf(anchor)))]
  for (let at = 0; at < pages.length; at += pagesAtOnce) {
    await show(pages.slice(at, at + pagesAtOnce), scan => {
      while (scan.next()) {
        const anchor = names.numberOf(scan.anchor)
        if (anchor !== undefined && texts.get(anchor) === null) texts.set(anchor, scan.textOf(scan.anchor))
      }
    })
  }
  return texts
}

const keyIn = ({ keys }: PackedLinks, n: number): string => keys.slice(n * keyLength, (n + 1) * keyLength)

const keyOf = (keys: Buffer, page: number): string =>
  keys.toString('base64url', page * keyBytes, (page + 1) * keyBytes)

function cut(links: LinkLog, names: AnchorNames, isCut: boolean): string[] {
  const warnings: string[] = []
  if (links.isCut)
    warnings.push(`only the first ${links.length} links were read: the crawl exceeds the limit`)
  if (names.isCut) warnings.push('some link texts were not counted: the crawl exceeds the limit')
  if (isCut) warnings.push('link texts of the last recipients are left out: together they are too long')
  return warnings
}
