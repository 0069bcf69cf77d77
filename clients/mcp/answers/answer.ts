/**
 * Builds the answer of a tool within its budget of tokens. Both forms of an answer count, the text and
 * `structuredContent`, because some agents give the model one of them and some give both.
 */
import { beforeCursor, listCursor, pageCursor } from './cursor.ts'
import { type Fence, visible } from './fence.ts'
import { shortened } from './headings.ts'
import { cutPage, type PageCut, type PageText } from './page-text.ts'
import { tokensOf } from './tokens.ts'

export type Facts = Record<string, unknown>
export type Link = { uri: string; name: string; mimeType: string }
export type Image = { data: string; mimeType: string; tokens: number }

/** The entries of a list from `offset` on. `isMore`: the list has more entries after them. */
export type List = {
  entries: readonly Facts[]
  offset: number
  isMore: boolean
  /** The list continues before the `id` of its last entry instead of at an offset. */
  isById?: boolean
  /** Returns an entry as one line. */
  line: (entry: Facts) => string
  /** For a list without a continuation: returns an entry with its texts cut to `length`, so that all entries fit. */
  cut?: (entry: Facts, length: number) => Facts
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

type Budget = {
  maxTokens: number
  fence: Fence
  /** Without `structuredContent`, for agents that read only texts. */
  isTextOnly: boolean
}

/** Texts in facts are cut to the first of these lengths that leaves the body enough space. */
const factLengths = [2000, 400, 100, 30, 8]
/** Share of the budget that facts may take. */
const factShare = 0.4
/** Part that remains of a body that turned out too large. */
const shrink = 0.85

/** Returns the largest answer that fits the budget. */
export function answerOf(draft: Draft, given: Budget): Answer {
  const budget = { ...given, maxTokens: given.maxTokens - (draft.image?.tokens ?? 0) }
  const facts = fittingFacts(draft, budget)
  const space = budget.maxTokens - tokensOfAnswer(written({ ...draft, facts }, startOf(draft), budget))
  let share = 1
  for (;;) {
    // The entries are cut again with less space, else the only entry that fits would be left out.
    const list = draft.list && fittingList(draft.list, space * share, budget)
    const fitting = { ...draft, facts, ...(list && { list }) }
    const answer = written(fitting, attemptOf(fitting, space * share, budget), budget)
    if (tokensOfAnswer(answer) <= budget.maxTokens || share < 0.001) return answer
    share *= shrink
  }
}

/** Returns an upper bound of the tokens of an answer. */
const tokensOfAnswer = ({ content, structuredContent }: Answer): number =>
  tokensOf(
    content
      .map(part => (part.type === 'text' ? part.text : part.type === 'image' ? '' : JSON.stringify(part)))
      .join('\n'),
  ) + (structuredContent === undefined ? 0 : tokensOf(JSON.stringify(structuredContent)))

const startOf = ({ page, list }: Draft): PageCut => ({ end: page?.offset ?? list?.offset ?? 0, outline: [] })

/** Cuts the texts of the facts until the body has enough space. */
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
const minEntry = 30
/** Upper bound of the average number of characters in a token of prose. */
const charactersOfToken = 6

function fittingList(list: List, space: number, budget: Budget): List {
  if (list.entries.length === 0) return list
  if (list.cut !== undefined) return fittingWhole(list, list.cut, space, budget)
  const fits = (length: number) =>
    listEnd(clampedList({ ...list, entries: list.entries.slice(0, 1) }, length), space, budget) > list.offset
  return clampedList(list, entryLengths.find(fits) ?? minEntry)
}

/** Returns a list with its texts cut equally until all entries fit. Only if that is not enough, all fields are cut. */
function fittingWhole(list: List, cut: NonNullable<List['cut']>, space: number, budget: Budget): List {
  const fits = (some: List) => listEnd(some, space, budget) === some.offset + some.entries.length
  const cutTo = (length: number, max = Number.POSITIVE_INFINITY): List =>
    clampedList({ ...list, entries: list.entries.map(entry => cut(entry, Math.floor(length))) }, max)
  if (!fits(cutTo(0))) return cutTo(0, entryLengths.find(max => fits(cutTo(0, max))) ?? minEntry)
  let length = Math.ceil(space / list.entries.length) * charactersOfToken
  while (length >= 1 && !fits(cutTo(length))) length *= shrink
  return cutTo(length)
}

const clampedList = (list: List, length: number): List => ({
  ...list,
  entries: list.entries.map(entry => clamped(entry, length) as Facts),
})

function clamped(value: unknown, length: number): unknown {
  if (typeof value === 'string') return shortened(visible(value), length)
  if (Array.isArray(value)) return value.slice(0, length).map(entry => clamped(entry, length))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).slice(0, length)
  return Object.fromEntries(entries.map(([name, entry]) => [name, clamped(entry, length)]))
}

function attemptOf(draft: Draft, space: number, budget: Budget): PageCut {
  const { page, list } = draft
  if (page !== undefined) return cutPage(page, space, budget.isTextOnly)
  return { end: list === undefined ? 0 : listEnd(list, space, budget), outline: [] }
}

function listEnd({ entries, offset, line }: List, space: number, { isTextOnly }: Budget): number {
  let left = space
  for (const [n, entry] of entries.entries()) {
    left -= tokensOf(`${line(entry)}\n`) + (isTextOnly ? 0 : tokensOf(`${JSON.stringify(entry)},`))
    if (left < 0) return offset + n
  }
  return offset + entries.length
}

/** Writes the answer as text, and as `structuredContent` unless the agent takes only text. */
function written(draft: Draft, attempt: PageCut, { fence, isTextOnly }: Budget): Answer {
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

function writtenPage(page: PageText, { end, outline }: PageCut, fence: Fence) {
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

function writtenList({ entries, offset, isMore, isById, line, cut }: List, { end }: PageCut, fence: Fence) {
  const shown = entries.slice(0, end - offset)
  const left = entries.length - shown.length
  if (cut !== undefined) return writtenItems(shown.map(line), { items: shown, cursor: null }, left, fence)
  // A first entry that does not fit is left out: the same cursor again would make the agent repeat the call forever.
  const leftOut = shown.length === 0 && entries.length > 0 ? 1 : 0
  const isCut = isMore || shown.length + leftOut < entries.length
  const next = end + leftOut
  const nextCursor = () => (isById ? beforeCursor(entries[next - offset - 1]?.id) : listCursor(next))
  const cursor = isCut ? nextCursor() : null
  return writtenItems(shown.map(line), { items: shown, cursor }, leftOut, fence)
}

/** @param left number of items that are left out for good */
function writtenItems(
  lines: readonly string[],
  fields: { items: Facts[]; cursor: string | null },
  left: number,
  fence: Fence,
) {
  const { cursor } = fields
  const leftOut = `${left} ${left === 1 ? 'item is' : 'items are'} left out: max_tokens is too small.`
  return {
    fields: { ...fields, ...(left > 0 && { left_out: { items: left } }) },
    lines: [
      ...(lines.length > 0 ? [fence.open('items'), ...lines, fence.close] : []),
      ...(left > 0 ? [leftOut] : lines.length === 0 ? ['No items.'] : []),
      ...(cursor === null ? [] : [`There are more. Continue with cursor ${cursor}.`]),
    ],
  }
}
