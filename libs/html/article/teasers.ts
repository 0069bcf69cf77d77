/**
 * Finds groups of teasers on a page: several pieces, each little more than a heading that links to another page of
 * the site.
 */
import { headings } from './element-kinds.ts'
import type { Block, Outline } from './outline.ts'

const minTeasers = 3
/** Maximum of other content per teaser in a group. */
const maxOthers = 1 / 3
const maxBlocks = 8
const maxWords = 110
const minWords = 4

/** Returns the elements that contain such groups. */
export function teaserGroups(page: Outline, url: string): number[] {
  const links = new SiteLinks(page, url)
  const { elements, parents, firstBlock, lastBlock } = page
  const teasers = new Uint32Array(elements.length)
  const others = new Uint32Array(elements.length)
  const found: number[] = []
  for (let at = elements.length - 1; at >= 0; at--) {
    const inside = teasers[at] ?? 0
    if (inside >= minTeasers && (others[at] ?? 0) <= inside * maxOthers) found.push(at)
    const parent = parents[at] ?? -1
    const blocks = (lastBlock[at] ?? 0) - (firstBlock[at] ?? 0)
    if (parent < 0 || blocks < 1) continue
    if (isTeaser(page, at) && links.leadsOn(at)) teasers[parent] = (teasers[parent] ?? 0) + 1
    else if (blocks > 1) others[parent] = (others[parent] ?? 0) + 1
  }
  return found
}

function isTeaser({ elements, blocks, firstBlock, lastBlock }: Outline, at: number): boolean {
  const from = firstBlock[at] ?? 0
  const to = lastBlock[at] ?? 0
  const isItem = elements[at]?.name === 'li'
  if (to - from > maxBlocks || (isItem && to - from < 2)) return false
  let words = 0
  let headed = false
  for (const block of blocks.slice(from, to)) {
    words += block.words
    headed ||= isLinkedHeading(block, elements[block.element]?.name ?? '')
  }
  return headed && words >= minWords && words <= maxWords
}

const isLinkedHeading = ({ linked, size }: Block, name: string): boolean =>
  headings.has(name) && linked > size * 0.6

/** The links of a page to other pages of the same site. */
class SiteLinks {
  readonly #page: Outline
  readonly #url: string
  readonly #host: string
  /** Next link at or after each element. */
  readonly #next: Int32Array

  constructor(page: Outline, url: string) {
    this.#page = page
    this.#url = url
    this.#host = bareHostOf(url)
    this.#next = new Int32Array(page.elements.length + 1).fill(-1)
    for (let at = page.elements.length - 1; at >= 0; at--) {
      const element = page.elements[at]
      const href = element?.name === 'a' ? element.attribs.href : undefined
      this.#next[at] = href !== undefined && !href.startsWith('#') ? at : (this.#next[at + 1] ?? -1)
    }
  }

  /** Returns whether the first link in an element, or around it, leads to another page of the site. */
  leadsOn(at: number): boolean {
    const { ends, parents } = this.#page
    const first = this.#next[at] ?? -1
    const link = first >= 0 && first < (ends[at] ?? 0) ? first : (parents[at] ?? -1)
    const element = this.#page.elements[link]
    if (element?.name !== 'a') return false
    return bareHostOf(element.attribs.href ?? '', this.#url) === this.#host
  }
}

const bareHostOf = (address: string, base?: string): string =>
  URL.parse(address, base)?.hostname.replace(/^www\./, '') ?? ''
