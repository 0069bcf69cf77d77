/** Chooses the element with the main text: the one with the most prose and the least other content. */
import type { Element } from 'domhandler'
import { BlockSum } from './block-sum.ts'
import { ClassEvidence } from './class-evidence.ts'
import { headings, inline, isInline, isMainElement, textual } from './element-kinds.ts'
import { fitted, withText } from './fitted.ts'
import { isHub } from './hub.ts'
import { isHeadingSign } from './manual.ts'
import type { Block, Outline } from './outline.ts'
import { isPost } from './page-kind.ts'
import { isBoilerplate, proseOf, type Reading } from './reading.ts'

/** Returns the element with the highest gain, or -1 if none gains. */
export function chooseContainer(reading: Reading): number {
  const { page, content } = reading
  const marked = markedElements(reading)
  const gain = new BlockSum(page, block => gainOf(block, reading, marked))
  let best = -1
  let maxScore = 0
  for (const [at, element] of page.elements.entries()) {
    if (neverContainer.has(element.name) || isInline(element)) continue
    let score = gain.of(at)
    if (content[at]) score *= trust.named
    if (isMain(element)) score *= trust.main
    if (score < maxScore || score <= 0) continue
    maxScore = score
    best = at
  }
  const chosen = withMain(withText(best, reading, marked), reading, marked)
  if (reading.isManual) return aroundParts(chosen < 0 ? aroundTitle(reading) : chosen, reading, marked)
  if (chosen < 0) return chosen
  const wide = fitted(widened(chosen, reading, marked), reading)
  return reading.pageKind === 'forum' ? aroundPosts(wide, reading, marked) : wide
}

/**
 * Returns the innermost element around the chosen one that has all posts outside of boilerplate, because one long post
 * that is marked as the text gains more than all posts with the names of their authors.
 */
function aroundPosts(chosen: number, { page }: Reading, marked: Uint8Array): number {
  const { elements, firstBlock, lastBlock } = page
  const posts = elements.flatMap((element, at) =>
    marked[at] !== 1 && firstBlock[at] !== lastBlock[at] && isPost(element) ? [at] : [],
  )
  const best = around(chosen, posts, page)
  return withFirstPost(best < 0 ? chosen : best, page, marked)
}

/**
 * Minimum characters of prose between the title of a forum and the comments, to count as the post that they discuss.
 */
const minPost = 140

/** Returns an element that also has the post between the title and the chosen element. */
function withFirstPost(chosen: number, page: Outline, marked: Uint8Array): number {
  const { elements, blocks, firstBlock, lastBlock } = page
  const title = elements.findIndex(({ name }, at) => name === 'h1' && marked[at] !== 1)
  if (title < 0) return chosen
  let prose = 0
  for (const block of blocks.slice(lastBlock[title], firstBlock[chosen]))
    if (marked[block.element] !== 1) prose += proseOf(block)
  const best = prose < minPost ? chosen : around(chosen, [title], page)
  return best < 0 ? chosen : best
}

/** Returns the innermost element around the first one that has all others, or -1. */
function around(first: number, others: readonly number[], { parents, ends }: Outline): number {
  let best = first
  for (const at of others)
    while (best >= 0 && (at < best || at >= (ends[best] ?? 0))) best = parents[best] ?? -1
  return best
}

/** Returns the outermost element around the first heading of a manual that has no navigation, or -1. */
function aroundTitle({ page: { elements, parents, ends }, kinds }: Reading): number {
  let best = -1
  // Beside its text the title has a link to itself, unlike the name of the manual above it.
  const title = elements.findIndex(({ name, children }) => name === 'h1' && children.length > 1)
  const frame = kinds.flatMap((kind, at) => (kind === 'navigation' || kind === 'sidebar' ? [at] : []))
  for (let at = title; at >= 0; at = parents[at] ?? -1) {
    if (frame.some(inside => inside >= at && inside < (ends[at] ?? 0))) break
    best = at
  }
  return best
}

/**
 * Returns the only main element of a manual, because the text of an index is links, and a note of it may have more
 * prose than the rest. On any page, a footer with more prose than the main element is not the text.
 */
function withMain(chosen: number, reading: Reading, marked: Uint8Array): number {
  const { page, isManual, prose } = reading
  const { elements, ends, firstBlock, lastBlock } = page
  const [main, other] = elements.flatMap((element, at) => (isMainElement(element) ? [at] : []))
  if (main === undefined || other !== undefined || firstBlock[main] === lastBlock[main]) return chosen
  if (isManual) return articleIn(main, chosen, reading, marked)
  const isInside = chosen >= main && chosen < (ends[main] ?? 0)
  if (chosen < 0) return isHub(reading, main) ? main : chosen
  if (isInside) return prose.of(chosen) < minArticle && isHub(reading, main) ? main : chosen
  return isInFooter(chosen, main, page) ? main : chosen
}

/**
 * Returns the article of a main element that also lists other things, as the page of a repository lists its files, or
 * the main element. The article has headings, nearly all prose and all definitions.
 */
function articleIn(main: number, chosen: number, reading: Reading, marked: Uint8Array): number {
  const { page, content } = reading
  const { elements, parents, ends } = page
  const end = ends[main] ?? 0
  if (chosen <= main || chosen >= end) return main
  const count = (worthOf: (block: Block) => number) =>
    new BlockSum(page, block => (marked[block.element] === 1 ? 0 : worthOf(block)))
  const prose = count(proseOf)
  const definitions = count(({ element }) => (definition.has(elements[element]?.name ?? '') ? 1 : 0))
  for (let at = chosen; at > main; at = parents[at] ?? -1) {
    const isArticle = elements[at]?.name === 'article'
    if (!(isArticle || content[at] === true)) continue
    if (prose.of(at) < prose.of(main) * nearlyAll || definitions.of(at) < definitions.of(main)) continue
    if (isArticle && hasArticle(page, main + 1, at)) continue
    if (isArticle && hasArticle(page, ends[at] ?? 0, end)) continue
    if (elements.slice(at, ends[at]).some(({ name }) => headings.has(name))) return at
  }
  return main
}

/** A text with this amount of prose is not the introduction of a page of cards. */
const minArticle = 400

const nearlyAll = 0.9
const definition = new Set(['dt', 'dd'])

/** Returns whether an article begins and ends among elements. */
function hasArticle({ elements, ends }: Outline, from: number, to: number): boolean {
  for (let at = from; at < to; at++)
    if (elements[at]?.name === 'article' && (ends[at] ?? 0) <= to) return true
  return false
}

/** Returns whether an element is a footer, or inside one that does not contain the main element. */
function isInFooter(chosen: number, main: number, { elements, parents, ends }: Outline): boolean {
  const evidence = new ClassEvidence()
  const containsMain = (at: number) => at <= main && main < (ends[at] ?? 0)
  for (let at = chosen; at >= 0 && !containsMain(at); at = parents[at] ?? -1) {
    const { name, attribs } = elements[at] as Element
    const { kind } = evidence.of(attribs.class)
    if (name === 'footer' || kind === 'footer' || kind === 'policy') return true
  }
  return false
}

/**
 * Returns the innermost element around the chosen one that has all code of a manual and all headings with a link to
 * themselves, outside of boilerplate.
 */
function aroundParts(chosen: number, { page }: Reading, marked: Uint8Array): number {
  const parts = page.elements.flatMap(({ name }, at) =>
    marked[at] !== 1 && (name === 'pre' || isHeadingSign(page, at)) ? [at] : [],
  )
  return around(chosen, parts, page)
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
    const isNamed = content[at] === true || (element !== undefined && isMain(element))
    if (isNamed && prose.of(at) > prose.of(best) * muchMore) best = at
  }
  return best
}

const muchMore = 2

/** Factors by which elements that are marked as the text are preferred to slightly better ones. */
const trust = { named: 1.3, main: 1.1 } as const

const isMain = (element: Element): boolean => element.name === 'article' || isMainElement(element)

const neverContainer = new Set(['p', 'li', 'dt', 'summary', 'br', 'span', ...inline, ...headings])

/** Marks boilerplate elements and all elements inside of them. */
function markedElements(reading: Reading): Uint8Array {
  const { elements, parents } = reading.page
  const marked = new Uint8Array(elements.length)
  for (let at = 0; at < elements.length; at++) {
    const inside = marked[parents[at] ?? -1] === 1
    if (inside || isBoilerplate(reading, at, reading.prose.whole)) marked[at] = 1
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
