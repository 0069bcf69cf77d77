/** Decides which elements inside the container do not belong to the text: a table of rules, each with a reason. */
import type { Element } from 'domhandler'
import { isImage } from '../../tree/image-source.ts'
import { textOf } from '../../tree/text-of.ts'
import { BlockSum } from '../block-sum.ts'
import { headings, isInline } from '../element-kinds.ts'
import { hasTitleAbove } from '../facts/title-block.ts'
import { likenessTo } from '../likeness-of-words.ts'
import type { Block, Outline } from '../outline.ts'
import { isBoilerplate, type Reading } from '../reading.ts'
import { invitation, isDisclosure, standing } from '../standing-texts.ts'
import { isBesidePost } from './beside-post.ts'
import { emptiedHeadings } from './emptied.ts'
import { counter } from './excused.ts'
import { isLightboxImage } from './lightbox.ts'
import { isLabelOfManual, isListOfContents, isPartOfManual } from './manual-parts.ts'
import { Notes } from './notes.ts'
import { Repeated } from './repeated.ts'
import { asideSections } from './sections.ts'
import { ValueDetector } from './values.ts'
import { isWholeLine } from './whole-line.ts'

export type Pruned = {
  /** 1 for elements that are left out, including all elements inside of them. */
  dropped: Uint8Array
  /** The first rule that matched, by element. */
  reasons: Map<number, string>
}

/** Known facts of the article, which its text need not repeat. */
export type About = { title: string | null; byline: string | null; siteName: string | null }

/** Data that is the same for all elements. */
type Whole = {
  reading: Reading
  container: number
  sums: Sums
  prose: number
  about: About
  likeTitle: (text: string) => number
  /** Whether the title is a heading of the first level above the container. */
  hasTitleAbove: boolean
  repeated: Repeated
  values: ValueDetector
  notes: Notes
}
/** An element that may be left out: its name, its blocks, and the block that it is alone, if any. */
type Candidate = { element: number; name: string; from: number; to: number; block: Block | null }
/** An element that is exactly one block. */
type Line = Candidate & { block: Block }
type Rule<Subject> = (subject: Subject, whole: Whole) => boolean

const rulesOfAll: Readonly<Record<string, Rule<Candidate>>> = {
  reference: ({ element }, { reading, notes }) => notes.isMark(reading.page.elements[element] as Element),
  boilerplate: (candidate, { reading, prose }) =>
    isBoilerplate(reading, candidate.element, prose) &&
    !isPartOfSentence(candidate, reading) &&
    !isPartOfManual(candidate.element, reading),
  headline: isHeadline,
  links: isLinkList,
  quoted: ({ name, from, to }, { repeated }) => name === 'blockquote' && repeated.isQuoted(from, to),
}

const rulesOfLines: Readonly<Record<string, Rule<Line>>> = {
  standing: ({ block, name, element }, { reading, values }) =>
    block.words <= maxStandingWords &&
    !headings.has(name) &&
    standing.test(block.text) &&
    !isLabelOfManual(element, block.text, reading) &&
    !values.isValue(element, block) &&
    !isImageWithCredit(element, reading),
  'beside a post': ({ from }, { reading: { page, pageKind } }) =>
    pageKind === 'forum' && isBesidePost(page, from),
  disclosure: ({ name, block }) =>
    name !== 'li' && block.words <= maxNoticeLength && isDisclosure(block.text),
  invitation: isInvitation,
  author: isAboutAuthor,
  repeated: ({ element, block }, { repeated }) => repeated.isRepeated(element, block),
}

/** Returns whether a line is an image with its credit in an element of its own, which is left out without the image. */
function isImageWithCredit(line: number, { page: { elements, ends }, kinds }: Reading): boolean {
  const inside = elements.slice(line + 1, ends[line])
  return inside.some(isImage) && inside.some((_, n) => kinds[line + 1 + n] === 'caption')
}

const maxStandingWords = 25
const maxNoticeLength = 90
const maxInvitationLength = 40

/** Matches the title, which is a separate field. Other headings of the first level belong to parts. */
function isHeadline({ name, block, from }: Candidate, whole: Whole): boolean {
  const { reading, likeTitle, container } = whole
  if (!headings.has(name) || (name !== 'h1' && reading.pageKind !== 'article')) return false
  const { page } = reading
  const isFirst = from === page.firstBlock[container]
  if (name === 'h1' && isFirst && !whole.hasTitleAbove) return true
  const text = block?.text ?? page.blocks[from]?.text ?? ''
  return text.length < 300 && likeTitle(text) >= (name === 'h1' && !reading.isManual ? 0.5 : 0.9)
}

/** Matches requests to the reader with a link, or at the end. */
function isInvitation({ name, block, from }: Line, { reading, container }: Whole): boolean {
  const { page, isManual } = reading
  if (isManual || name === 'li' || block.words > maxInvitationLength || !invitation.test(block.text))
    return false
  const first = page.firstBlock[container] ?? 0
  const last = page.lastBlock[container] ?? 0
  return block.linked > 0 || from > first + (last - first) * 0.85
}

/** Matches a sentence about the author. */
function isAboutAuthor({ block }: Line, { about: { title, byline, siteName } }: Whole): boolean {
  if (byline === null || byline === siteName || block.words < 6) return false
  for (const name of byline.split(', ')) {
    if (!block.text.startsWith(name) || title?.includes(name) === true || !name.includes(' ')) continue
    if (presenting.test(block.text.slice(name.length, name.length + 80))) return true
  }
  return false
}

const presenting =
  /^[^.!?]{0,40}?\b(?:is|was|has|works|writes|covers|lives|joined|holds|serves|specializes|reports|ist|schreibt|arbeitet|lebt|est|écrit|es|escribe|è|scrive)\s/i

const ofAll = Object.entries(rulesOfAll)
const ofLines = Object.entries(rulesOfLines)

export function prune(reading: Reading, container: number, about: About): Pruned {
  const { elements, parents, ends, firstBlock, lastBlock, blocks } = reading.page
  const likeTitle = likenessTo(about.title ?? '')
  const whole: Whole = {
    reading,
    container,
    sums: new Sums(reading),
    prose: reading.prose.of(container),
    about,
    likeTitle,
    hasTitleAbove: hasTitleAbove(reading.page, container, likeTitle),
    repeated: new Repeated(reading, container),
    values: new ValueDetector(reading),
    notes: new Notes(reading.page),
  }
  const dropped = new Uint8Array(elements.length)
  const reasons = new Map<number, string>()
  for (let element = container + 1; element < (ends[container] ?? 0); element++) {
    if (dropped[parents[element] ?? -1] === 1) {
      dropped[element] = 1
      continue
    }
    const name = elements[element]?.name ?? ''
    const from = firstBlock[element] ?? 0
    const to = lastBlock[element] ?? 0
    const block =
      to - from === 1 && isWholeLine(element, blocks[from] as Block, reading) ? (blocks[from] ?? null) : null
    const reason = reasonFor({ element, name, from, to, block }, whole)
    if (block !== null) whole.repeated.add(block.text, element)
    if (reason === undefined) continue
    dropped[element] = 1
    reasons.set(element, reason === 'boilerplate' ? (reading.kinds[element] ?? reason) : reason)
  }
  if (!reading.isManual)
    for (const element of asideSections(reading, container, dropped)) drop(element, 'section')
  if (reading.pageKind === 'article')
    for (const element of emptiedHeadings(reading.page, container, dropped, reasons)) drop(element, 'emptied')
  return { dropped, reasons }

  function drop(element: number, reason: string): void {
    if (dropped[element] !== 1) reasons.set(element, reason)
    dropped.fill(1, element, ends[element])
  }
}

/** Returns the first rule that matches. */
function reasonFor(candidate: Candidate, whole: Whole): string | undefined {
  for (const [name, rule] of ofAll) if (rule(candidate, whole)) return name
  if (!isLine(candidate)) return undefined
  for (const [name, rule] of ofLines) if (rule(candidate, whole)) return name
  return undefined
}

const isLine = (candidate: Candidate): candidate is Line => candidate.block !== null

class Sums {
  readonly size: BlockSum
  readonly linked: BlockSum
  readonly links: BlockSum
  /** Counts the headings of the first level in a range of elements. */
  readonly titles: (from: number, to: number) => number

  constructor({ page }: Reading) {
    this.titles = counter(page.elements, ({ name }) => name === 'h1')
    this.size = new BlockSum(page, block => block.size)
    this.linked = new BlockSum(page, block => block.linked)
    this.links = new BlockSum(page, block => (block.linked > 0 ? 1 : 0))
  }
}

/**
 * Returns whether an element is part of a sentence or of the heading of a section. The class names of such an element
 * describe the subject of its words. On a separate line, class names describe the element itself.
 */
function isPartOfSentence({ element, from, to }: Candidate, { page, pageKind, kinds }: Reading): boolean {
  if (!isInline(page.elements[element] as Element)) return false
  const kind = kinds[element]
  const isFact = kind === 'author' || kind === 'meta'
  if (pageKind === 'forum' && isFact) return true
  const block = page.blocks[from]
  if (block === undefined || to - from !== 1) return false
  return block.words > maxLineLength || (isFact && isPartOfHeading(element, block, page))
}

/** Returns whether an element is beside other words of the heading of a section. Words before them are its category. */
function isPartOfHeading(at: number, { element, text }: Block, { elements }: Outline): boolean {
  const { name = '' } = elements[element] ?? {}
  if (!headings.has(name) || name === 'h1') return false
  const own = textOf(elements[at] as Element)
  return own !== text && (!text.startsWith(own) || /\d/.test(own))
}

const maxLineLength = 15

/** A line of only one link leads away. Longer ones may be a sentence of the text. */
const maxLinkLength = 60
const maxLinkShare = 0.8

const listNames = new Set(['ul', 'ol', 'div', 'section'])

function isLinkList(
  { element, name, from }: Candidate,
  { reading, sums, container, values }: Whole,
): boolean {
  if (!listNames.has(name)) return false
  const linked = sums.linked.of(element)
  const links = sums.links.of(element)
  const size = sums.size.of(element)
  if (links < 1 || (links < 2 && size > maxLinkLength) || linked <= size * maxLinkShare) return false
  if (values.isInTable(element)) return false
  const { page, isManual, pageKind } = reading
  if (isLightboxImage(page, element) || sums.titles(element, page.ends[element] ?? 0) > 0) return false
  if (isManual) {
    const first = page.firstBlock[container] ?? 0
    const position = (from - first) / ((page.lastBlock[container] ?? page.blocks.length) - first)
    return isListOfContents(element, links, position, page)
  }
  if (pageKind === 'forum' && (name === 'ul' || name === 'ol')) return linked < links * 20
  return pageKind !== 'listing' || linked < links * 12
}
