/**
 * The links of one page as numbers. They are collected first and looked up afterwards in short loops, so that the
 * processor overlaps memory accesses. That takes half the time of separate lookups.
 */
import type { EdgeScan } from '@tidemark/content/edge-scan'
import type { AnchorNames } from '../../domain/actors/graph/anchor-names.ts'
import type { GraphPages } from '../../domain/actors/graph/graph-pages.ts'
import type { LinkLog } from '../../domain/actors/graph/link-log.ts'

/** Words of a link: the names of both texts, the position of the URL, the nofollow flag, and the target. */
const width = 8
const anchorLow = 2
const anchorHigh = 3
const hrefStart = 4
const hrefEnd = 5
const disowned = 6
const target = 7

export class PageLinks {
  #words = new Int32Array(1024 * width)
  #length = 0

  /** Records all links of the open page. @param isSilent whether the page has nofollow for all */
  record(
    page: number,
    scan: EdgeScan,
    isSilent: boolean,
    { graphPages, links, names }: { graphPages: GraphPages; links: LinkLog; names: AnchorNames },
  ): void {
    this.#gather(scan, isSilent)
    this.#lookUp(scan, graphPages)
    const words = this.#words
    links.begin(page)
    for (let at = 0; at < this.#length; at += width) {
      const to = words[at + target] as number
      if (to < 0 || to === page) continue
      if (words[at + disowned] === 1) links.disown(to)
      else
        links.add(to, names.record(words[at + anchorLow] as number, words[at + anchorHigh] as number, page))
    }
    links.end()
  }

  /** Calls back for each link of the open page with its target, or -1, and whether it is a nofollow link. */
  visit(
    scan: EdgeScan,
    isSilent: boolean,
    graphPages: GraphPages,
    see: (to: number, isDisowned: boolean) => void,
  ): void {
    this.#gather(scan, isSilent)
    this.#lookUp(scan, graphPages)
    for (let at = 0; at < this.#length; at += width)
      see(this.#words[at + target] as number, this.#words[at + disowned] === 1)
  }

  #gather(scan: EdgeScan, isSilent: boolean): void {
    const { href, anchor } = scan
    let at = 0
    for (; scan.next(); at += width) {
      if (at === this.#words.length) this.#words = grown(this.#words)
      const words = this.#words
      words[at] = href.low
      words[at + 1] = href.high
      words[at + anchorLow] = anchor.low
      words[at + anchorHigh] = anchor.high
      words[at + hrefStart] = href.start
      words[at + hrefEnd] = href.end
      words[at + disowned] = Number(isSilent || scan.nofollow)
    }
    this.#length = at
  }

  #lookUp(scan: EdgeScan, graphPages: GraphPages): void {
    const words = this.#words
    for (let at = 0; at < this.#length; at += width) {
      const [low, high] = [words[at] as number, words[at + 1] as number]
      const met = graphPages.met(low, high)
      words[at + target] =
        met ??
        graphPages.ofNamed(
          { low, high },
          scan.textBetween(words[at + hrefStart] as number, words[at + hrefEnd] as number),
        )
    }
  }
}

function grown(words: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(words.length * 2)
  more.set(words)
  return more
}
