/**
 * Builds the answer of a tool within its budget of tokens. Both forms of an answer count, the text and
 * `structuredContent`, because some agents give the model one of them and some give both.
 */
import { listCursor, pageCursor } from './cursor.ts'
import type { Fence } from './fence.ts'
import { visible } from './fence.ts'
import { cutBefore, headingsOf, shortened, wholeAt } from './headings.ts'
import { tokensOf } from './tokens.ts'

export type Facts = Record<string, unknown>
export type Link = { uri: string; name: string; mimeType: string }
export type Image = { data: string; mimeType: string; tokens: number }

/** A text in Markdown, of which the answer has the part from `offset` on. */
export type PageText = { source: string; markdown: string; offset: number; version: string }

/** The entries of a list from `offset` on, and whether there are more behind them. */
export type List = {
  entries: readonly Facts[]
  offset: number
  isMore: boolean
  /** Longest text of an entry. */
  longest?: number
  /** Returns an entry as one line. */
  line: (entry: Facts) => string
}

export type Draft = {
  facts: Facts
  page?: PageText
  list?: List
  links?: readonly Link[]
  image?: Image
}

export type Answer = {
  content: (
    | { type: 'text'; text: string }
    | { type: 'image'; data: string; mimeType: string }
    | ({ type: 'resource_link' } & Link)
  )[]
  structuredContent?: Facts
}

export type Budget = {
  maxTokens: number
  fence: Fence
  /** Without `structuredContent`, for agents that read only texts. */
  isTextOnly: boolean
}

/** What a draft looks like up to a place: an answer of any size. */
type Attempt = { end: number; outline: readonly OutlineEntry[] }
type OutlineEntry = { heading: string; cursor: string }

/** Texts in facts are cut to the first of these lengths that leaves the body enough room. */
const factLengths = [2000, 400, 100, 30, 8]
/** Share of the budget that facts may take. */
const factShare = 0.4
/** Share that the outline may take, and its number of entries. */
const outlineShare = 0.15
const maxOutline = 30
/** Part that remains of a body that turned out too large. */
const shrink = 0.85
/** Tokens of one character, at least: no text has more characters per token for long. */
const charactersOfToken = 12

/** Returns the largest answer that fits the budget. */
export function answerOf(draft: Draft, given: Budget): Answer {
  const budget = { ...given, maxTokens: given.maxTokens - (draft.image?.tokens ?? 0) }
  const facts = fittingFacts(draft, budget)
  const room = budget.maxTokens - tokensOfAnswer(written({ ...draft, facts }, startOf(draft), budget))
  const list = draft.list && fittingList(draft.list, room, budget)
  const fitting = { ...draft, facts, ...(list && { list }) }
  let share = 1
  for (;;) {
    const answer = written(fitting, attemptOf(fitting, room * share, budget), budget)
    if (tokensOfAnswer(answer) <= budget.maxTokens || share < 0.001) return answer
    share *= shrink
  }
}

/** Returns an upper bound of the tokens of an answer. */
export const tokensOfAnswer = ({ content, structuredContent }: Answer): number =>
  tokensOf(
    content
      .map(part => (part.type === 'text' ? part.text : part.type === 'image' ? '' : JSON.stringify(part)))
      .join('\n'),
  ) + (structuredContent === undefined ? 0 : tokensOf(JSON.stringify(structuredContent)))

const startOf = ({ page, list }: Draft): Attempt => ({ end: page?.offset ?? list?.offset ?? 0, outline: [] })

/** Cuts the texts of the facts until the body has enough room. */
function fittingFacts(draft: Draft, budget: Budget): Facts {
  const cut = factLengths.map(length => clamped(draft.facts, length) as Facts)
  const fits = (facts: Facts) => {
    const answer = written({ ...draft, facts }, startOf(draft), budget)
    return tokensOfAnswer(answer) <= budget.maxTokens * factShare
  }
  return cut.find(fits) ?? cut.at(-1) ?? {}
}

/** Texts in entries are cut to the first of these lengths with which at least one entry fits. */
const entryLengths = [400, 120, 30]

function fittingList(list: List, room: number, budget: Budget): List {
  const lengths = [list.longest ?? 0, ...entryLengths].filter(length => length > 0)
  const cut = (length: number) => ({
    ...list,
    entries: list.entries.map(entry => clamped(entry, length) as Facts),
  })
  const fits = (length: number) =>
    listEnd({ ...list, entries: cut(length).entries.slice(0, 1) }, room, budget) > list.offset
  const isEmpty = list.entries.length === 0
  return cut((isEmpty ? undefined : lengths.find(fits)) ?? entryLengths.at(-1) ?? 0)
}

function clamped(value: unknown, length: number): unknown {
  if (typeof value === 'string') return shortened(visible(value), length)
  if (Array.isArray(value)) return value.slice(0, length).map(entry => clamped(entry, length))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).slice(0, length)
  return Object.fromEntries(entries.map(([name, entry]) => [name, clamped(entry, length)]))
}

function attemptOf(draft: Draft, room: number, budget: Budget): Attempt {
  const { page, list } = draft
  if (page !== undefined) return pageAttempt(page, room, budget)
  return { end: list === undefined ? 0 : listEnd(list, room, budget), outline: [] }
}

/** Returns where the page is cut, with the headings behind it. Without a cut there is no outline. */
function pageAttempt(page: PageText, room: number, budget: Budget): Attempt {
  const { markdown, offset } = page
  const whole = textEnd(markdown, offset, room, budget)
  if (whole === markdown.length) return { end: whole, outline: [] }
  const end = cutBefore(markdown, offset, textEnd(markdown, offset, room * (1 - outlineShare), budget))
  return { end, outline: outlineOf(page, end, room * outlineShare) }
}

/** Returns the end of the longest part of a text that fits, line by line. */
function textEnd(text: string, from: number, room: number, budget: Budget): number {
  let [at, left] = [from, room]
  const last = Math.min(text.length, from + Math.ceil(room * charactersOfToken))
  let end = lineEnd(text, at)
  while (at < last) {
    const tokens = costOf(text.slice(at, end), budget)
    if (tokens <= left) {
      left -= tokens
      at = end
      end = Math.min(last, lineEnd(text, at))
    } else if (at > from || end - at <= shortestPart) return at
    else end = wholeAt(text, at + Math.ceil((end - at) / 2))
  }
  return at
}

/** The first part is halved until it fits, down to this length, so that every answer goes on. */
const shortestPart = 4
const longestPart = 120

/** Returns the end of the line, or of a part of a long one. */
function lineEnd(text: string, at: number): number {
  const end = text.slice(at, at + longestPart).indexOf('\n')
  return end >= 0 ? at + end + 1 : Math.max(at + 1, wholePart(text, at))
}

function wholePart(text: string, at: number): number {
  const end = Math.min(text.length, at + longestPart)
  const space = text.lastIndexOf(' ', end - 1)
  return space > at + longestPart / 2 ? space : end
}

/** Returns the tokens of a text in all forms that the answer has. */
const costOf = (text: string, { isTextOnly }: Budget): number =>
  tokensOf(text) + (isTextOnly ? 0 : tokensOf(JSON.stringify(text).slice(1, -1)))

function listEnd({ entries, offset, line }: List, room: number, { isTextOnly }: Budget): number {
  let left = room
  for (const [n, entry] of entries.entries()) {
    left -= tokensOf(`${line(entry)}\n`) + (isTextOnly ? 0 : tokensOf(`${JSON.stringify(entry)},`))
    if (left < 0) return offset + n
  }
  return offset + entries.length
}

/** Returns the headings from `end` on. If they are too many, only those of the upper levels. */
function outlineOf(page: PageText, end: number, room: number): OutlineEntry[] {
  const all = headingsOf(page.markdown, end)
  const levels = [6, 5, 4, 3, 2, 1].map(level => all.filter(heading => heading.level <= level))
  const chosen = levels.find(({ length }) => length > 0 && length <= maxOutline) ?? all
  const entries: OutlineEntry[] = []
  let left = room
  for (const { level, title, at } of chosen.slice(0, maxOutline)) {
    const cursor = pageCursor({ offset: at, version: page.version })
    const entry = { heading: visible(`${'#'.repeat(level)} ${title}`), cursor }
    left -= 2 * tokensOf(`${JSON.stringify(entry)},`)
    if (left < 0) break
    entries.push(entry)
  }
  return entries
}

/** Writes both forms of an answer. */
function written(draft: Draft, attempt: Attempt, { fence, isTextOnly }: Budget): Answer {
  const { facts, page, list, links = [], image } = draft
  const body = page ? writtenPage(page, attempt, fence) : list ? writtenList(list, attempt, fence) : null
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const text = [...lines, ...(body?.lines ?? [])].join('\n')
  return {
    content: [
      { type: 'text', text },
      ...(image ? [{ type: 'image' as const, data: image.data, mimeType: image.mimeType }] : []),
      ...links.map(link => ({ type: 'resource_link' as const, ...link })),
    ],
    ...(!isTextOnly && { structuredContent: { ...facts, ...body?.fields } }),
  }
}

function writtenPage(page: PageText, { end, outline }: Attempt, fence: Fence) {
  const { markdown, source, offset, version } = page
  const text = visible(markdown.slice(offset, end))
  const fenced = `${fence.open(source)}\n${text.trimEnd()}\n${fence.close}`
  const isCut = end < markdown.length
  const cursor = isCut ? pageCursor({ offset: end, version }) : null
  const left = markdown.length - end
  return {
    fields: {
      text: fenced,
      cursor,
      ...(isCut && { left_out: { characters: left, outline } }),
    },
    lines: [
      fenced,
      ...(isCut ? [`Left out: ${left} characters. Continue with cursor ${cursor}.`] : []),
      ...(outline.length > 0 ? [fence.open('headings left out')] : []),
      ...outline.map(({ heading, cursor }) => `${heading} (cursor ${cursor})`),
      ...(outline.length > 0 ? [fence.close] : []),
    ],
  }
}

function writtenList({ entries, offset, isMore, line }: List, { end }: Attempt, fence: Fence) {
  const shown = entries.slice(0, end - offset)
  const isCut = isMore || shown.length < entries.length
  const cursor = isCut ? listCursor(end) : null
  return {
    fields: { items: shown, cursor },
    lines: [
      ...(shown.length > 0 ? [fence.open('items'), ...shown.map(line), fence.close] : ['No items.']),
      ...(isCut ? [`There are more. Continue with cursor ${cursor}.`] : []),
    ],
  }
}
