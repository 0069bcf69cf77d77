/**
 * Finds the texts of a page that may name its author: links to the author, elements named as a byline, and lines near
 * the title.
 */

import type { Element } from 'domhandler'
import { textOf } from '../../tree/text-of.ts'
import { walk } from '../../tree/walk.ts'
import type { BoilerplateKind } from '../boilerplate-words.ts'
import { headings } from '../element-kinds.ts'
import type { Block } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { apart } from './apart.ts'
import { isAuthorLink } from './author-link.ts'
import { closing } from './byline-words.ts'

export type BylineTexts = {
  /** Texts of elements that are marked as the author (`rel`, microdata), nearest to the title first. */
  linked: string[][]
  /** Texts of elements whose class names a byline. */
  marked: string[][]
  /** Short lines around the title. Those from `under` on are below it. */
  lines: string[]
  under: number
  /** Positions of the lines right after a long text, which is not a line. */
  apart: ReadonlySet<number>
  /** Lines below the text that introduce the author, each with the line that follows. */
  closing: string[][]
}

/** The texts of a listing, in which names are of the authors of its items. */
export const noTexts: BylineTexts = {
  linked: [],
  marked: [],
  lines: [],
  under: 0,
  apart: new Set(),
  closing: [],
}

const bylineClass =
  /(?:^|[\s_-])(?:by-?lines?|authors?(?:-?names?)?|autor|writer|contributors?|(?:big)?username|creator)(?:$|[\s_-])|[a-z](?:Byline|Author)|(?:^|[\s_-])(?:byline|author)[A-Z]/
/** Elements that do not contain the author. Navigation and footers may contain a marked name near the title. */
const foreign = new Set<BoilerplateKind>([
  'comments',
  'related',
  'form',
  'newsletter',
  'consent',
  'advertising',
])
const framing = new Set<BoilerplateKind>(['navigation', 'footer'])
const wholePage: ReadonlySet<string> = new Set(['html', 'body'])
const maxMarked = 12
const maxPieces = 12
const before = 6
const behind = 24
/** Blocks after the title in which marks in navigation and footers count. */
const near = 40
/** Blocks before and after the title in which the addresses of links count. Links farther away are of other articles. */
const aroundTitle = 8
const maxWords = 25
const maxClosing = 3
const maxClosingWords = 10

/**
 * Returns the texts that may name the author.
 * @param titleBlock Position of the block with the title.
 * @param isForum Whether the page is a forum, where the author is in elements that are skipped elsewhere, such as
 * comments.
 */
export function bylineTexts(
  reading: Reading,
  titleBlock: number,
  isForum: boolean,
  url: string,
): BylineTexts {
  const { elements, parents, blocks, firstBlock } = reading.page
  const outside = new Uint8Array(elements.length)
  const linked: Found[] = []
  const marked: Found[] = []
  for (const [at, element] of elements.entries()) {
    const around = outside[parents[at] ?? -1] ?? 0
    outside[at] = Math.max(around, isForum ? 0 : outsideOf(reading.kinds[at] ?? null))
    if (outside[at] === 2 || wholePage.has(element.name)) continue
    const after = (firstBlock[at] ?? 0) - titleBlock
    const distance = after < 0 ? -after * 4 : after
    const isNear = after >= -before && after <= near
    if (outside[at] === 1 && !(isNear && isLinked(element))) continue
    const isShort = (blocks[firstBlock[at] ?? 0]?.words ?? 0) <= maxWords
    const isByline = isShort && Math.abs(after) <= aroundTitle
    const line = firstBlock[at] ?? 0
    if (isLinked(element) || (isByline && isAuthorLink(element, url))) {
      if (linked.length < maxMarked) linked.push({ element, distance, line })
    } else if (isMarked(element) && marked.length < maxMarked * 4) marked.push({ element, distance, line })
  }
  const isLine = (at: number): boolean => {
    const element = blocks[at]?.element ?? -1
    return !headings.has(elements[element]?.name ?? '') && outside[element] !== 2
  }
  const end = Math.min(blocks.length, titleBlock + 1 + behind)
  const above = range(Math.max(0, titleBlock - before), titleBlock)
  const below = range(titleBlock + 1, end).filter(isLine)
  const lines: string[] = []
  const afterText = new Set<number>()
  let under = 0
  for (const at of [...above, ...below]) {
    const { words, text, linked, size, element } = blocks[at] as Block
    if (words > maxWords) afterText.add(lines.length)
    else lines.push(linked === size || isShare(reading, element) ? text : apart(reading.page, at)) // buttons are no name
    if (at < titleBlock) under = lines.length
  }
  const marks = { linked: byLine(linked), marked: groupsOf(nearest(marked)).map(piecesOfAll) }
  return { ...marks, lines, under, apart: afterText, closing: closingLines(reading, titleBlock + 1, outside) }
}

const isShare = ({ kinds, page: { parents } }: Reading, at: number): boolean =>
  [at, parents[at] ?? -1].some(around => kinds[around] === 'share')

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)

/** Returns the first lines that introduce the author, each with the line that follows. */
function closingLines({ page: { blocks } }: Reading, from: number, outside: Uint8Array): string[][] {
  const found: string[][] = []
  for (let at = from; at < blocks.length && found.length < maxClosing; at++) {
    const block = blocks[at]
    if (block === undefined || block.words > maxClosingWords || outside[block.element] === 2) continue
    if (closing.test(block.text)) found.push([block.text, blocks[at + 1]?.text ?? ''])
  }
  return found
}

const isLinked = ({ attribs: { rel, itemprop } }: Element): boolean =>
  (rel !== undefined && /\bauthor\b/.test(rel)) ||
  (itemprop !== undefined && /\b(?:author|creator)\b/.test(itemprop))

/** Returns 2 for an element that never contains the author, 1 for one that rarely does, and 0 for others. */
const outsideOf = (kind: BoilerplateKind | null): 0 | 1 | 2 =>
  kind === null ? 0 : foreign.has(kind) ? 2 : framing.has(kind) ? 1 : 0

const isMarked = ({ attribs }: Element): boolean =>
  attribs.class !== undefined && bylineClass.test(attribs.class)

type Found = { element: Element; distance: number; line: number }

/** Returns the nearest elements, nearest first. */
const nearest = (found: Found[]): Found[] =>
  found.sort((one, other) => one.distance - other.distance).slice(0, maxMarked)

/** Returns the texts of links by line. Links in one line name several authors. */
const byLine = (found: Found[]): string[][] =>
  [...Map.groupBy(nearest(found), ({ line }) => line).values()].map(list =>
    piecesOfAll(list.map(({ element }) => element)),
  )

/** The class of elements that have one author each in LaTeXML. Elements with other names may repeat one author. */
const ofOneAuthor = /(?:^|\s)ltx_role_author(?:\s|$)/

/** Returns elements that name an author, alone or with the other authors of their list, which is left out itself. */
function groupsOf(found: readonly Found[]): Element[][] {
  const groups = new Map<Element['parent'], Element[]>()
  for (const { element } of found)
    if (ofOneAuthor.test(element.attribs.class ?? ''))
      groups.set(element.parent, [...(groups.get(element.parent) ?? []), element])
  return groups.size > 0 ? [...groups.values()] : found.map(({ element }) => [element])
}

const piecesOfAll = (elements: readonly Element[]): string[] =>
  elements.flatMap((element, at) => [...(at > 0 ? [','] : []), ...piecesOf(element)])

/** The class of a name in LaTeXML, beside the institute of the author. */
const ofName = /(?:^|\s)ltx_personname(?:\s|$)/

/** Returns the texts of a marked element that may be the name: one marked as a name, a link, the first line. */
function piecesOf(element: Element): string[] {
  let name = ''
  const links: string[] = []
  const pieces: string[] = []
  let seen = 0
  walk(element, {
    enter: inner => {
      if (seen++ > 200) return false
      if (/\bname\b/.test(inner.attribs.itemprop ?? '') || ofName.test(inner.attribs.class ?? ''))
        name ||= textOf(inner) || (inner.attribs.content ?? '')
      if (inner.name === 'a' && links.length < maxPieces) links.push(textOf(inner))
      return inner.name !== 'script' && inner.name !== 'style'
    },
    text: ({ data }) => {
      const piece = data.replace(/\s+/g, ' ').trim()
      if (piece !== '' && pieces.length < maxPieces) pieces.push(piece)
    },
  })
  if (name !== '') return [name]
  const whole = pieces.join(' ')
  return whole.length < 80 && links.length < 2
    ? pieces.length <= 2
      ? [whole]
      : pieces
    : [...links.slice(0, 1), ...pieces.slice(0, 3)]
}
