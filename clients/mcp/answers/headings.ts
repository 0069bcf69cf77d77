/** The headings of a Markdown text, and the best place to cut it. Both take linear time, whatever the text is. */

export type Heading = { level: number; title: string; at: number }

/** Lines that are a heading or the fence of a code block. */
const marks = /^(?:(#{1,6})[ \t]+(.*)|(`{3,}|~{3,}).*)$/gm
/** The text after this many characters is not searched for headings. */
const searched = 2_000_000
const maxHeadings = 2_000
const maxTitle = 80

/** Returns the headings that begin at or after `from`. Lines in code blocks do not count. */
export function headingsOf(text: string, from: number): Heading[] {
  const found: Heading[] = []
  let code = ''
  for (const match of text.slice(from, from + searched).matchAll(marks)) {
    const [, hashes, title = '', fence] = match
    if (fence !== undefined) code = codeAfter(code, fence)
    else if (code === '' && hashes !== undefined)
      found.push({ level: hashes.length, title: shortened(title.trim(), maxTitle), at: from + match.index })
    if (found.length === maxHeadings) break
  }
  return found
}

/** Returns the fence of the code block that is open after a line with a fence; empty: none. A longer fence closes it too. */
function codeAfter(code: string, fence: string): string {
  if (code === '') return fence
  return fence.startsWith(code) ? '' : code
}

/** Cuts a text to a number of characters, and never within one. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, wholeAt(text, max))}…`
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff

/** Returns a position at which no character is split. */
export const wholeAt = (text: string, at: number): number =>
  isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at

/** The least share of the space that a cut must use. */
const minUsed = { heading: 0.5, paragraph: 0.7, line: 0.8, word: 0.9 }

/**
 * Returns the best position between `from` and `end` at which to cut: before a heading, else after a paragraph, a line or
 * a word, else at `end`.
 */
export function cutBefore(text: string, from: number, end: number): number {
  const least = (share: number) => from + Math.max(1, Math.floor((end - from) * share))
  const heading = headingsOf(text.slice(0, end + 1), from).findLast(({ at }) => at >= least(minUsed.heading))
  if (heading !== undefined) return heading.at
  const candidates: [string, number][] = [
    ['\n\n', minUsed.paragraph],
    ['\n', minUsed.line],
    [' ', minUsed.word],
  ]
  for (const [mark, share] of candidates) {
    const at = text.lastIndexOf(mark, end - mark.length)
    if (at >= least(share)) return at + mark.length
  }
  return wholeAt(text, end)
}
