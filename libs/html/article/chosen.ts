/** Chooses the content of a page for all writers: its elements, its title and its author. The page is not changed. */

import { Document, Element } from 'domhandler'
import { withoutSign } from '../tree/permalink.ts'
import { textOf } from '../tree/text-of.ts'
import { chooseContainer } from './container.ts'
import { bylineOf } from './facts/byline.ts'
import { bylineTexts, noTexts } from './facts/byline-texts.ts'
import { articleNode } from './facts/described.ts'
import { type HeadFacts, headFacts } from './facts/head-facts.ts'
import { type Heading, headlineOf } from './facts/headline.ts'
import { publishedOf } from './facts/published.ts'
import { siteNameOf, siteNamer } from './facts/site-name.ts'
import { titleBlockOf } from './facts/title-block.ts'
import { leadElements } from './lead.ts'
import { isManual } from './manual.ts'
import { type Outline, outline } from './outline.ts'
import { pageKindOf } from './page-kind.ts'
import { aroundEvent } from './pruning/event.ts'
import { type Pruned, prune } from './pruning/pruning.ts'
import { type Reading, read } from './reading.ts'

export type Choice = {
  facts: HeadFacts
  /** The page's description of its article in JSON-LD, or null. */
  node: Readonly<Record<string, unknown>> | null
  siteName: string | null
  title: string | null
  byline: string | null
  reading: Reading
  /** The element with the text, or -1 for the whole page. Its elements end before `to`. */
  container: number
  to: number
  /** Position of the block with the title, or else of the first block of the text. */
  titleBlock: number
  pruned: Pruned
  /** Positions of the elements of the lead, which is before the container. */
  leads: number[]
  /** The elements of the leads and of the text. */
  kept: ReadonlySet<Element>
}

/**
 * Chooses the content of a page.
 * @param document The whole page from `parseTree`.
 * @param url Address of the page.
 * @param structured The objects of the page's JSON-LD, if they have been read already.
 */
export function chosen(document: Document, url: string, structured?: readonly object[]): Choice {
  const facts = headFacts(document, structured)
  const page = outline(withBody(document))
  const node = articleNode(facts.described)
  const pageKind = pageKindOf(page.elements, facts.described, url)
  const reading = read(page, pageKind, url, isManual(page, pageKind, facts))
  const container = aroundEvent(chooseContainer(reading), reading, facts.described)
  const siteName = siteNameOf(facts)
  const isSite = siteNamer(siteName, url)
  const title = headlineOf({ facts, node, headings: headingsOf(reading), isSite })
  const titleBlock = titleBlockOf(page, title, container)
  const byline = bylineOf({
    facts,
    node,
    texts: pageKind === 'listing' ? noTexts : bylineTexts(reading, titleBlock, pageKind === 'forum', url),
    isSite,
  })
  const isSigned = () => byline !== null || publishedOf({ facts, node, reading, titleBlock, url }) !== null
  const about = { title, byline, siteName, isSigned }
  const pruned = prune(reading, container, about)
  const leads = leadElements(reading, titleBlock, container)
  const to = container < 0 ? page.elements.length : (page.ends[container] ?? 0)
  const kept = new Set<Element>()
  for (const at of leads) keep(kept, page, [at, page.ends[at] ?? 0], prune(reading, at, about))
  keep(kept, page, [Math.max(0, container), to], pruned)
  return { facts, node, siteName, title, byline, reading, container, to, titleBlock, pruned, leads, kept }
}

/** Adds the elements of a range that are not dropped. */
function keep(
  kept: Set<Element>,
  { elements }: Outline,
  [from, to]: readonly [number, number],
  { dropped }: Pruned,
): void {
  for (let at = from; at < to; at++) {
    const element = elements[at]
    if (element !== undefined && dropped[at] !== 1) kept.add(element)
  }
}

/** Returns whether a choice keeps any text. */
export const keepsText = ({ kept, reading: { page } }: Pick<Choice, 'kept' | 'reading'>): boolean =>
  page.blocks.some(({ element }) => element < 0 || kept.has(page.elements[element] as Element))

/**
 * Returns the document with a body. A page may omit these tags (WHATWG HTML, 13.1.2.4), but one element must contain
 * everything.
 */
function withBody(document: Document): Document {
  const hasOne = document.children.some(node => node instanceof Element && around.has(node.name))
  return hasOne ? document : new Document([new Element('body', {}, document.children)])
}

const around = new Set(['html', 'body'])

function headingsOf({ page: { elements, ends, blocks, firstBlock, lastBlock } }: Reading): Heading[] {
  const found: Heading[] = []
  for (const [at, element] of elements.entries()) {
    if (found.length === maxHeadings) break
    const level = levels.get(element.name)
    if (level === undefined) continue
    const lines = blocks.slice(firstBlock[at], lastBlock[at])
    const text = lines.map(({ text }) => text).join(' ')
    const inside = elements.slice(at + 1, ends[at])
    found.push({ level, text: withoutSign(text, inside), pieces: () => piecesOf(element) })
  }
  return found.filter(({ text }) => text !== '')
}

/** Returns the texts of an element's children, or of its only child's children. */
function piecesOf({ children }: Element): string[] {
  const shown = children.filter(child => textOf(child) !== '')
  const [only] = shown
  if (shown.length !== 1 || !(only instanceof Element)) return shown.map(textOf)
  return only.children.map(textOf).filter(text => text !== '')
}

const maxHeadings = 40
const levels = new Map([
  ['h1', 1],
  ['h2', 2],
  ['h3', 3],
])
