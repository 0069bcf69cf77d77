/** Chooses the element with the main text: the one with the most prose and the least other content. */
import type { Element } from 'domhandler'
import { BlockSum } from './block-sum.ts'
import { headings, textual } from './element-kinds.ts'
import type { Block } from './outline.ts'
import { isBoilerplate, proseOf, type Reading } from './reading.ts'

/** Returns the element with the highest gain, or -1 if none gains. */
export function chooseContainer(reading: Reading): number {
  const { page, content } = reading
  const marked = markedElements(reading)
  const gain = new BlockSum(page, block => gainOf(block, reading, marked))
  let best = -1
  let most = 0
  for (const [place, element] of page.elements.entries()) {
    if (neverContainer.has(element.name)) continue
    let score = gain.of(place)
    if (content[place]) score *= trust.named
    if (isMain(element)) score *= trust.main
    if (score < most || score <= 0) continue
    most = score
    best = place
  }
  return best < 0 ? best : widened(best, reading, marked)
}

/**
 * Returns a wider element if appropriate. On a page of short texts among many links, one of these texts alone may
 * gain most. An element that has most of the page's prose and is marked as the text is then preferred.
 */
function widened(chosen: number, { page, content }: Reading, marked: Uint8Array): number {
  const prose = new BlockSum(page, block => (marked[block.element] === 1 ? 0 : proseOf(block)))
  let best = chosen
  for (let at = page.parents[chosen] ?? -1; at >= 0; at = page.parents[at] ?? -1) {
    const element = page.elements[at]
    const says = content[at] === true || (element !== undefined && isMain(element))
    if (says && prose.of(at) > prose.of(best) * muchMore) best = at
  }
  return best
}

const muchMore = 2

/** Factors by which elements that are marked as the text are preferred to slightly better ones. */
const trust = { named: 1.3, main: 1.1 } as const

const isMain = ({ name, attribs }: Element): boolean =>
  name === 'article' || name === 'main' || attribs.role === 'main'

const neverContainer = new Set(['a', 'p', 'li', 'br', 'span'])

/** Marks boilerplate elements and all elements inside of them. */
function markedElements(reading: Reading): Uint8Array {
  const { elements, parents } = reading.page
  const marked = new Uint8Array(elements.length)
  for (let place = 0; place < elements.length; place++) {
    const inside = marked[parents[place] ?? -1] === 1
    if (inside || isBoilerplate(reading, place, reading.prose.whole)) marked[place] = 1
  }
  return marked
}

/**
 * The value of a block for its element, in letters. Prose counts fully, short texts count little, and links count
 * negatively. The smallest element with all prose therefore gains most.
 */
const worth = {
  boilerplate: -0.2,
  heading: 5,
  short: 0.3,
  maxShortLength: 40,
  other: -5,
  maxLinkLength: 70,
} as const

/**
 * Values in a listing, where every item counts. The length is limited, so that one long item does not outweigh all
 * others.
 */
const worthOfItem = { link: 0.5, wordOfLink: -10, minWords: 5, maxLength: 300 } as const

function gainOf(block: Block, { page, pageKind }: Reading, marked: Uint8Array): number {
  const { element, linked, size } = block
  if (marked[element] === 1) return worth.boilerplate * size
  const isLink = linked > size * 0.5
  if (pageKind === 'listing') return isLink ? gainOfLink(block) : Math.min(size, worthOfItem.maxLength)
  if (isLink) return -Math.min(size, worth.maxLinkLength)
  const prose = proseOf(block)
  if (prose > 0) return prose
  const name = page.elements[element]?.name ?? ''
  if (headings.has(name)) return worth.heading
  return textual.has(name) ? Math.min(size - linked, worth.maxShortLength) * worth.short : worth.other
}

const gainOfLink = ({ words, size }: Block): number =>
  words >= worthOfItem.minWords ? size * worthOfItem.link : worthOfItem.wordOfLink
