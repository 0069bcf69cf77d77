/** Cuts the text of a page to a number of tokens, and lists the headings of the rest. */
import { pageCursor } from './cursor.ts'
import { visible } from './fence.ts'
import { cutBefore, headingsOf, wholeAt } from './headings.ts'
import { tokensOf } from './tokens.ts'

/** A text in Markdown. The answer contains the part that begins at `offset`. */
export type PageText = { source: string; markdown: string; offset: number; version: string }

/** The end of the body in an answer, and the headings behind it. */
export type PageCut = { end: number; outline: readonly OutlineEntry[] }
type OutlineEntry = { heading: string; cursor: string }

/** Share of the space that the outline may take, and its maximum number of entries. */
const outlineShare = 0.15
const maxOutline = 30
/** Upper bound of the average number of characters in a token, over a long text. */
const charactersOfToken = 12

/** Returns where the page is cut, with the headings behind it. Without a cut there is no outline. */
export function cutPage(page: PageText, space: number, isTextOnly: boolean): PageCut {
  const { markdown, offset } = page
  const whole = textEnd(markdown, offset, space, isTextOnly)
  if (whole === markdown.length) return { end: whole, outline: [] }
  const end = cutBefore(markdown, offset, textEnd(markdown, offset, space * (1 - outlineShare), isTextOnly))
  return { end, outline: outlineOf(page, end, space * outlineShare) }
}

/** Returns the end of the longest part of a text that fits, line by line. */
function textEnd(text: string, from: number, space: number, isTextOnly: boolean): number {
  let [at, left] = [from, space]
  const last = Math.min(text.length, from + Math.ceil(space * charactersOfToken))
  let end = lineEnd(text, at)
  while (at < last) {
    const tokens = costOf(text.slice(at, end), isTextOnly)
    if (tokens <= left) {
      left -= tokens
      at = end
      end = Math.min(last, lineEnd(text, at))
    } else if (at > from || end - at <= shortestPart) return at
    else end = wholeAt(text, at + Math.ceil((end - at) / 2))
  }
  return at
}

/** The first part is halved until it fits, down to this number of characters, so that every answer makes progress. */
const shortestPart = 4
const maxPartLength = 120

/** Returns the end of the line, or of a part of a long one. */
function lineEnd(text: string, at: number): number {
  const end = text.slice(at, at + maxPartLength).indexOf('\n')
  return end >= 0 ? at + end + 1 : Math.max(at + 1, wholePart(text, at))
}

function wholePart(text: string, at: number): number {
  const end = Math.min(text.length, at + maxPartLength)
  const space = text.lastIndexOf(' ', end - 1)
  return space > at + maxPartLength / 2 ? space : end
}

/** Returns the tokens of a text in all forms that the answer has. */
const costOf = (text: string, isTextOnly: boolean): number =>
  tokensOf(text) + (isTextOnly ? 0 : tokensOf(JSON.stringify(text).slice(1, -1)))

/** Returns the headings from `end` on. If they are too many, only those of the upper levels. */
function outlineOf(page: PageText, end: number, space: number): OutlineEntry[] {
  const all = headingsOf(page.markdown, end)
  const levels = [6, 5, 4, 3, 2, 1].map(level => all.filter(heading => heading.level <= level))
  const chosen = levels.find(({ length }) => length > 0 && length <= maxOutline) ?? all
  const entries: OutlineEntry[] = []
  let left = space
  for (const { level, title, at } of chosen.slice(0, maxOutline)) {
    const cursor = pageCursor({ offset: at, version: page.version })
    const entry = { heading: visible(`${'#'.repeat(level)} ${title}`), cursor }
    left -= 2 * tokensOf(`${JSON.stringify(entry)},`)
    if (left < 0) break
    entries.push(entry)
  }
  return entries
}
