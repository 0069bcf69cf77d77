/**
 * Finds the day of publication. All dates of the page are weighed by the trust in their source, and the day with the
 * most weight wins.
 */

import type { Outline } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { apart } from './apart.ts'
import { beginsWithChange, statesChange } from './changed-date.ts'
import type { HeadFacts } from './head-facts.ts'
import { findDate, readDate } from './written-date.ts'

/** Trust in each source. */
const weights = {
  meta: 3,
  data: 2.5,
  address: 2,
  property: 1.6,
  near: 1.5,
  beside: 2.6,
  time: 0.7,
  named: 0.6,
  touched: 0.2,
} as const

type Source = keyof typeof weights
/** `monthFirst` is the other reading of a date that is ambiguous. */
type Witness = { source: Source; date: string; monthFirst?: string }

export type Dated = {
  facts: HeadFacts
  node: Readonly<Record<string, unknown>> | null
  reading: Reading
  /** Position of the block with the title. */
  titleBlock: number
  url: string
}

/** Returns a day, or a time if one is stated (ISO 8601), or null without a date. */
export function publishedOf(dated: Dated): string | null {
  const shown = [...inText(dated)]
  // a manual usually states only its last change
  const published = dated.reading.isManual ? shown.filter(({ source }) => source !== 'touched') : shown
  const witnesses = decided([...inHead(dated), ...inAddress(dated), ...published])
  const byDay = new Map<string, number>()
  const changes = new Set(
    witnesses.flatMap(({ source, date }) => (source === 'touched' ? [date.slice(0, 10)] : [])),
  )
  const counted = new Set<string>()
  for (const { source, date } of witnesses) {
    const day = date.slice(0, 10)
    const statement = `${source} ${day}`
    if (counted.has(statement)) continue // teasers repeat the days of other articles
    counted.add(statement)
    const isChange = source === 'beside' && changes.has(day)
    byDay.set(day, (byDay.get(day) ?? 0) + weights[isChange ? 'near' : source])
  }
  const best = [...byDay].sort(([, one], [, other]) => other - one)[0]
  if (best === undefined) return null
  const agreeing = witnesses.filter(({ date }) => date.startsWith(best[0])).map(({ date }) => date)
  return agreeing.find(date => date.length > 10) ?? best[0]
}

/**
 * Returns the witnesses. An ambiguous date gets its other reading if only that one has the day of an unambiguous date.
 */
function decided(witnesses: readonly Witness[]): Witness[] {
  const certain = witnesses.filter(({ monthFirst }) => monthFirst === undefined)
  const days = new Set(certain.map(({ date }) => date.slice(0, 10)))
  return witnesses.map(({ source, date, monthFirst = date }) => ({
    source,
    date: days.has(monthFirst.slice(0, 10)) && !days.has(date.slice(0, 10)) ? monthFirst : date,
  }))
}

/**
 * Returns the first valid date of the last change, as a day or a time, or null without a date. Sources are not weighed.
 * The text counts if the head has no date.
 */
export function modifiedOf(dated: Dated): string | null {
  const { facts, node } = dated
  const stated = [node?.dateModified, ...modifiedNames.map(name => facts.metas.get(name))]
  for (const value of stated) {
    const date = typeof value === 'string' ? readDate(value) : null
    if (date !== null) return date
  }
  return inText(dated).find(({ source }) => source === 'touched')?.date ?? null
}

const modifiedNames = [
  'article:modified_time',
  'og:updated_time',
  'datemodified',
  'dcterms.modified',
  'last-modified',
]

/**
 * Matches names of meta elements with the day of publication. It is linear, because no part of a name contains a
 * separator.
 */
const publishedName =
  /^[:._-]*(?:[a-z\d]+[:._-]+)*(?:pub(?:lish(?:ed|ing)?|lication)?[-_:.]?(?:date|time|on)|published|pubdate|date[-_.]?(?:published|pub|created|issued)?|(?:publish|release|issue|citation|creation|original)[-_]?date|created|issued|published_time)$/
const maxNameLength = 100
const otherDate = /modif|updat|expir|revis|valid|accept|avail|copyright|embargo|online/

/** Properties with the day of publication: of articles, and of offers of work and houses. */
const datesOfOthers = ['datePublished', 'datePosted']

function* inHead({ facts, node }: Dated): Generator<Witness> {
  const { metas, described } = facts
  const monthFirst = isMonthFirst(facts)
  let met = 0
  for (const [name, value] of metas) {
    if (met === 3 || name.length > maxNameLength || otherDate.test(name) || !publishedName.test(name))
      continue
    const read = readingsOf(value, readDate, monthFirst)
    if (read === null) continue
    met++
    yield { source: 'meta', ...read }
  }
  const stated =
    node?.datePublished ??
    datesOfOthers.flatMap(name => described.find(item => item[name] !== undefined)?.[name] ?? [])[0]
  const published = typeof stated === 'string' ? readingsOf(stated, readDate, monthFirst) : null
  if (published !== null) yield { source: 'data', ...published }
  for (const name of modifiedNames) {
    const date = readDate(metas.get(name) ?? '')
    if (date !== null) yield { source: 'touched', date }
  }
}

function* inAddress({ url }: Dated): Generator<Witness> {
  const path = URL.parse(url)?.pathname ?? ''
  const found = /(?:^|[/_-])((?:19|20)\d\d)[/_-]?([01]?\d)[/_-]?([0-3]\d)(?!\d)/.exec(path.slice(0, 300))
  const date = found === null ? null : readDate(`${found[1]}-${found[2]?.padStart(2, '0')}-${found[3]}`)
  if (date !== null) yield { source: 'address', date }
}

const dateClass = /(?:^|[\s_-])(?:date|published|pubdate|timestamp|dateline|datum|fecha|posted)/i
const before = 8
const after = 24
const maxWords = 24
/** A short line close to the title has the day that editors show to readers, which data of templates may lack. */
const maxBeside = 3
const maxBesideWords = 8

function* inText({ facts, reading, titleBlock }: Dated): Generator<Witness> {
  const monthFirst = isMonthFirst(facts)
  const { elements, blocks, firstBlock } = reading.page
  const inComments = commentParts(reading)
  const changes = new Set<string>()
  let times = 0
  let named = 0
  for (const [at, element] of elements.entries()) {
    if (inComments[at] === 1) continue
    const { name, attribs } = element
    const block = blocks[firstBlock[at] ?? 0]
    const stated = attribs.datetime ?? attribs.content
    const isProperty = attribs.itemprop?.includes('datePublished') === true
    const mayBeNamed = !isProperty && dateClass.test(attribs.class ?? '') && (block?.words ?? 99) < maxWords
    const mayBeTime = name === 'time' || name === 'relative-time'
    if (!isProperty && !mayBeTime && !mayBeNamed) continue
    const isChange = !isProperty && statesChange(element, block?.text ?? '')
    const isTime = !isChange && mayBeTime && times++ === 0
    const isNamed = !isChange && mayBeNamed && named++ === 0
    if (!isChange && !isProperty && !isTime && !isNamed) continue
    const read =
      readingsOf(stated ?? block?.text ?? '', readDate, monthFirst) ??
      readingsOf(attribs.title ?? '', readDate, monthFirst)
    const source = isChange ? 'touched' : isProperty ? 'property' : isTime ? 'time' : 'named'
    if (read === null) continue
    if (isChange) changes.add(read.date.slice(0, 10))
    yield { source, ...read }
  }
  for (const witness of nearTitle(reading.page, titleBlock, inComments, monthFirst)) {
    const isChange = reading.isManual && changes.has(witness.date.slice(0, 10))
    yield isChange ? { ...witness, source: 'touched' } : witness
  }
}

/** Returns whether dates of digits begin with the month in the language of the page. */
const isMonthFirst = ({ lang }: HeadFacts): boolean => /^en(?:-us|-ca)?$/i.test(lang ?? 'en')

/**
 * Returns the date of a text, or null. In English, a date with dots usually begins with its day, because most such
 * pages are from Europe. The other reading is returned too.
 */
function readingsOf(
  text: string,
  read: typeof readDate,
  monthFirst: boolean,
): Omit<Witness, 'source'> | null {
  const date = read(text, monthFirst)
  if (date === null || !monthFirst || !dotted.test(text)) return date === null ? null : { date }
  const dayFirst = read(text) ?? date
  return dayFirst === date ? { date } : { date: dayFirst, monthFirst: date }
}

const dotted = /(?<!\d)\d{1,2}\.\s?\d{1,2}\.\s?(?:19|20)\d\d(?!\d)/

/** Returns 1 for elements in comments of readers, whose days are not those of the page. */
function commentParts({ page: { elements, parents }, kinds }: Reading): Uint8Array {
  const parts = new Uint8Array(elements.length)
  for (const at of elements.keys()) parts[at] = kinds[at] === 'comments' ? 1 : (parts[parents[at] ?? -1] ?? 0)
  return parts
}

function* nearTitle(
  page: Outline,
  titleBlock: number,
  inComments: Uint8Array,
  monthFirst: boolean,
): Generator<Witness> {
  const { blocks } = page
  for (const at of nearest(titleBlock)) {
    const block = blocks[at]
    if (block === undefined || block.words > maxWords || isOfUser(blocks, at)) continue
    if (inComments[block.element] === 1) continue
    const text = apart(page, at)
    const read = readingsOf(text, findDate, monthFirst)
    if (read === null) continue
    const isChange = beginsWithChange(text)
    const isBeside = block.words <= maxBesideWords && Math.abs(at - titleBlock) <= maxBeside
    yield { source: isChange ? 'touched' : isBeside ? 'beside' : 'near', ...read }
    if (!isChange) return
  }
}

/** Returns whether a line states since when an author has been a user, alone or after its label. */
const isOfUser = (blocks: Outline['blocks'], at: number): boolean =>
  joined.test(blocks[at]?.text ?? '') || labelOfJoined.test(blocks[at - 1]?.text ?? '')

const joining =
  '^(?:joined|join(?:ed)? date|member since|registered|mitglied seit|registriert)(?: user| member| us| the \\p{L}+)?(?: since| in| on| am)?\\s*'
/** The date follows these words, with its weekday at most. "Registered nurses strike, 3 May" is a line of the article. */
const joined = new RegExp(
  `${joining}(?::|[·|(–-]?\\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)\\p{L}*\\.?,? )?(?:\\d|\\p{L}{3,9}\\.? \\d))`,
  'iu',
)
const labelOfJoined = new RegExp(`${joining}:?$`, 'iu')

/** Returns the positions around the title from near to far. A line above it is as far as one at twice the distance. */
const nearest = (titleBlock: number): number[] =>
  Array.from({ length: before + after }, (_, at) => at - before)
    .filter(distance => distance !== 0)
    .sort((one, other) => Math.max(one, -2 * one) - Math.max(other, -2 * other))
    .map(distance => titleBlock + distance)
