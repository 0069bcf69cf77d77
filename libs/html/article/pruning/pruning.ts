/** Decides which elements inside the container do not belong to the text: a table of rules, each with a reason. */
import type { Element } from 'domhandler'
import { isImage } from '../../tree/image-source.ts'
import { textOf } from '../../tree/text-of.ts'
import { headings, isInline } from '../element-kinds.ts'
import { apart } from '../facts/apart.ts'
import { hasTitleAbove } from '../facts/title-block.ts'
import { likenessTo } from '../likeness-of-words.ts'
import type { Block, Outline } from '../outline.ts'
import { isBoilerplate, proseOf, type Reading } from '../reading.ts'
import { invitation, isDisclosure, standing } from '../standing-texts.ts'
import { isBesidePost, isListOfUser } from './beside-post.ts'
import { isSignature } from './dateline.ts'
import { emptiedHeadings } from './emptied.ts'
import { LinkLists } from './link-lists.ts'
import { isLabelOfManual, isPartOfManual } from './manual-parts.ts'
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
export type About = {
  title: string | null
  byline: string | null
  siteName: string | null
  /** Returns whether the page has an author or a date, as articles do. */
  isSigned: () => boolean
}

/** Data that is the same for all elements. */
type Whole = {
  reading: Reading
  container: number
  lists: LinkLists
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
  boilerplate: (candidate, whole) =>
    isBoilerplate(whole.reading, candidate.element, whole.prose) &&
    !areCards(candidate, whole) &&
    !isPartOfSentence(candidate, whole.reading) &&
    !isPartOfManual(candidate.element, whole.reading),
  headline: isHeadline,
  links: (candidate, { lists }) => lists.has(candidate),
  'of a user': ({ element }, { reading: { page, pageKind } }) =>
    pageKind === 'forum' && isListOfUser(page, element),
  quoted: ({ name, from, to }, { repeated }) => name === 'blockquote' && repeated.isQuoted(from, to),
}

const rulesOfLines: Readonly<Record<string, Rule<Line>>> = {
  standing: ({ block, name, element }, { reading, values }) =>
    block.words <= maxStandingWords &&
    !headings.has(name) &&
    !isInHeading(element, reading.page) &&
    standing.test(block.text) &&
    !isLabelOfManual(element, block.text, reading) &&
    !values.isValue(element, block) &&
    !isImageWithCredit(element, reading),
  'beside a post': ({ from }, { reading: { page, pageKind } }) =>
    pageKind === 'forum' && isBesidePost(page, from),
  disclosure: ({ name, block }) =>
    name !== 'li' && block.words <= maxNoticeLength && isDisclosure(block.text),
  invitation: isInvitation,
  dateline: ({ name, from }, { reading: { page, pageKind }, container, about }) =>
    pageKind === 'article' &&
    from - (page.firstBlock[container] ?? 0) < maxAboveDateline &&
    !headings.has(name) &&
    !namesOfValues.has(name) &&
    isSignature(apart(page, from), about.byline),
  author: isAboutAuthor,
  repeated: ({ element, block }, { repeated }) => repeated.isRepeated(element, block),
}

/** Returns whether a line is an image with its credit in an element of its own, which is left out without the image. */
function isImageWithCredit(line: number, { page: { elements, ends }, kinds }: Reading): boolean {
  const inside = elements.slice(line + 1, ends[line])
  return inside.some(isImage) && inside.some((_, n) => kinds[line + 1 + n] === 'caption')
}

const maxStandingWords = 25
/** Maximum lines of a text above the day of its publication. Days further down are of its subject. */
const maxAboveDateline = 6
const namesOfValues = new Set(['li', 'dt', 'dd', 'td', 'th', 'figcaption', 'caption'])
const maxNoticeLength = 90
const maxInvitationLength = 40
/** Lines at the end of a short text that may be requests. */
const maxLinesOfEnd = 2

const isInHeading = (element: number, { elements, parents }: Outline): boolean =>
  headings.has(elements[parents[element] ?? -1]?.name ?? '')

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
  return block.linked > 0 || from > first + (last - first) * 0.85 || from >= last - maxLinesOfEnd
}

/** Returns the full names of the authors, unless the page is about them or the author is the site. */
const namesIn = ({ title, byline, siteName }: About): string[] =>
  byline === null || byline === siteName
    ? []
    : byline.split(', ').filter(name => name.includes(' ') && title?.includes(name) !== true)

/** Matches a sentence about the author. */
function isAboutAuthor({ block }: Line, { about }: Whole): boolean {
  if (block.words < 6) return false
  for (const name of namesIn(about)) {
    if (!block.text.startsWith(name)) continue
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
  const values = new ValueDetector(reading)
  const whole: Whole = {
    reading,
    container,
    lists: new LinkLists(reading, container, values),
    prose: reading.prose.of(container),
    about,
    likeTitle,
    hasTitleAbove: hasTitleAbove(reading.page, container, likeTitle),
    repeated: new Repeated(reading, container),
    values,
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
    for (const element of asideSections(reading, container, dropped, namesIn(about))) drop(element, 'section')
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

/** Minimum characters of prose after cards that are part of a text. */
const minAfter = 300

/** Returns whether teasers are the text of a page of cards, or amid the text of a page without author and date. */
function areCards({ element, to }: Candidate, { reading, container, lists, about }: Whole): boolean {
  if (reading.kinds[element] !== 'teasers') return false
  if (lists.isHub) return true
  let after = 0
  for (const block of reading.page.blocks.slice(to, reading.page.lastBlock[container]))
    after += proseOf(block)
  return after >= minAfter && !about.isSigned()
}
