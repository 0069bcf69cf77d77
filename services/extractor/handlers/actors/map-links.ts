/**
 * Reads the links of a run for the audit of its site: ranks, distances, and the links to watched URLs. Memory holds two
 * numbers per link.
 */
import { EdgeScan } from '@tidemark/content/edge-scan'
import type { LinksMapped } from '@tidemark/contracts/rpc/site-audit'
import { withoutCircles } from '../../domain/actors/graph/canonicals.ts'
import { clicksFrom } from '../../domain/actors/graph/clusters.ts'
import { flowOf } from '../../domain/actors/graph/flow.ts'
import { GraphPages, keyBytes } from '../../domain/actors/graph/graph-pages.ts'
import { LinkLog } from '../../domain/actors/graph/link-log.ts'
import { pagerank } from '../../domain/actors/graph/pagerank.ts'
import { WatchedLinks } from '../../domain/actors/graph/watched-links.ts'
import { bufferOf } from '../../domain/buffer-of.ts'
import { canonicalOf, eachPage, type ReadLinks } from './link-graph.ts'
import { PageLinks } from './page-links.ts'

/** As in `MapLinks`, in bytes. */
export type LinkMapRequest = {
  keys: Uint8Array
  others: Uint8Array
  watched: Uint8Array
  start: number
  forwards?: readonly number[]
}

const otherBytes = keyBytes + 4
/** Scores have twelve decimals. Differences beyond them are rounding errors. */
const scoreUnits = 1e12

/** Maximum numbers of links between pages, and of links to watched URLs. */
export type MapLimits = { links?: number; watched?: number }

/** Throws the errors of `read`. */
export async function mapLinks(
  request: LinkMapRequest,
  read: ReadLinks,
  limits: MapLimits = {},
): Promise<LinksMapped> {
  const { start, forwards } = request
  const pages = request.keys.byteLength / keyBytes
  const { keys, ends } = unpacked(request)
  const graphPages = new GraphPages(keys, Buffer.alloc(0), crypto.getRandomValues(new Int32Array(3)))
  /** Returns the page of a URL, or the page to which the URL leads; -1: none. */
  const pageAt = (position: number) => (position < pages ? position : (ends[position - pages] ?? -1))
  const links = new LinkLog(pages, limits.links)
  const watched = new WatchedLinks(request.watched, limits.watched)
  const linked = new Uint8Array(pages)
  const canonicals = new Int32Array(pages).fill(-1)
  const [scan, pageLinks] = [new EdgeScan(), new PageLinks()]

  for (let batch = await read('next'); batch !== null; batch = await read('next')) {
    eachPage(batch, graphPages, scan, (page, n) => {
      if (page >= pages) return
      canonicals[page] = pageAt(canonicalOf(batch.canonicals[n] ?? null, graphPages))
      links.begin(page)
      pageLinks.visit(scan, batch.silent[n] === 1, graphPages, (position, isDisowned) => {
        if (position < 0) return
        watched.add(page, position)
        const to = pageAt(position)
        if (to < 0 || to === page) return
        linked[to] = 1
        if (isDisowned) links.disown(to)
        else links.add(to, 0)
      })
      links.end()
    })
  }
  const { scores } = pagerank(flowOf(links, withoutCircles(canonicals)))
  return {
    scores: packed(scores.map(score => Math.round(score * scoreUnits) / scoreUnits)),
    linked: packed(linked),
    inlinks: packed(links.inlinks),
    clicks: packed(clicksFrom(start, links, forwards)),
    links: packed(watched.pairs()),
    isCut: links.isCut,
    isWatchedCut: watched.isCut,
    warnings: cut(links, watched),
  }
}

/** Returns the keys of all URLs, and the page to which each of the others leads. */
function unpacked({ keys, others }: LinkMapRequest): { keys: Buffer; ends: Int32Array } {
  const all = Buffer.alloc(keys.byteLength + (others.byteLength / otherBytes) * keyBytes)
  const ends = new Int32Array(others.byteLength / otherBytes)
  all.set(keys)
  const view = bufferOf(others)
  for (let n = 0; n < ends.length; n++) {
    view.copy(all, keys.byteLength + n * keyBytes, n * otherBytes, n * otherBytes + keyBytes)
    ends[n] = view.readInt32LE(n * otherBytes + keyBytes)
  }
  return { keys: all, ends }
}

const packed = (values: ArrayBufferView<ArrayBufferLike>): string => bufferOf(values).toString('base64')

function cut(links: LinkLog, watched: WatchedLinks): string[] {
  const warnings: string[] = []
  if (links.isCut)
    warnings.push(`only the first ${links.length} links were read: the crawl exceeds the limit`)
  if (watched.isCut)
    warnings.push(
      `only ${watched.pairs().length / 2} links to faulty URLs are listed: the crawl exceeds the limit`,
    )
  return warnings
}
