/** Reads the properties of a line of Markdown that decide its block, in time linear in the length of the line. */

export type Line = {
  /** Offsets of the first character, and of the end of the line including its line break. */
  start: number
  end: number
  /** Number of `>` before the content. */
  quotes: number
  /** Columns of white space before the content or the first list marker, after the last `>`. */
  indent: number
  /** Whether a list marker is before the content. */
  isItem: boolean
  /** The content without quotes, indentation, list markers and white space at its end. Empty for a blank line. */
  content: string
}

/** Characters of a line that are read: no rule depends on more, except for the last ones of a fence. */
const readCharacters = 2_000

export function* linesOf(markdown: string): Generator<Line> {
  for (let start = 0; start < markdown.length; ) {
    const newline = markdown.indexOf('\n', start)
    const end = newline === -1 ? markdown.length : newline + 1
    yield lineOf(markdown, start, end)
    start = end
  }
}

function lineOf(markdown: string, start: number, end: number): Line {
  const text = markdown.slice(start, Math.min(end, start + readCharacters)).trimEnd()
  let at = 0
  let quotes = 0
  let indent = 0
  for (; at < text.length; at++) {
    const character = text[at]
    if (character === ' ') indent++
    else if (character === '\t') indent += 4
    else if (character === '>' && indent < 4) {
      quotes++
      indent = text[at + 1] === ' ' ? -1 : 0 // the space after a quote mark is part of the mark
    } else break
  }
  const afterMarkers = skipMarkers(text, at)
  const line = { start, end, quotes, indent: Math.max(0, indent) }
  return { ...line, isItem: afterMarkers > at, content: text.slice(afterMarkers) }
}

const marker = /(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*/y

function skipMarkers(text: string, from: number): number {
  let at = from
  for (;;) {
    marker.lastIndex = at
    const [found] = marker.exec(text) ?? []
    if (found === undefined) return at
    at += found.length
  }
}
