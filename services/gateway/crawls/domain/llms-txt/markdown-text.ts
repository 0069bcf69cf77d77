/**
 * Reads plain words, links and the first sentence from Markdown that the extractor wrote. The time is linear in the
 * length of the text.
 */

export type MarkdownLink = { text: string; href: string }

// These patterns also match escapes, so that no escaped character counts as a mark, and no link begins at an escaped
// bracket. Each such link would cause a scan to the end of the line.
const image = /\\.|!\[(?:\\.|[^[\]\\])*\]\((?:\\.|[^()\\\s])*(?:\s+"(?:\\.|[^"\\])*")?\)/g
const link =
  /\\.|\[((?:\\.|[^[\]\\])*)\]\(<?((?:\\.|[^()<>\\\s]|\((?:\\.|[^()\\\s])*\))*)>?(?:\s+"(?:\\.|[^"\\])*")?\)/g
const marks =
  /\\.|\*{1,3}|~~|`+|^#{1,6}\s+|^(?:[-*+]|\d{1,9}[.)])\s+|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu
const escapes = /\\([!-/:-@[-`{-~])/g
const maxLineLength = 2_000

const unescaped = (text: string): string => text.replace(escapes, '$1')

/** Control characters separate words like white space: none of them reaches a terminal that shows the text. */
export const oneLine = (text: string): string =>
  text
    .slice(0, maxLineLength)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** Returns the words of a line, without markup. */
export const plainText = (line: string): string =>
  wordsOf(withoutImages(line).replace(link, (found, text?: string) => text ?? found))

/** Returns the words of a line that are in no link. */
export const textOutsideLinks = (line: string): string =>
  wordsOf(withoutImages(line).replace(link, (found, text?: string) => (text === undefined ? found : '')))

const wordsOf = (markdown: string): string =>
  oneLine(unescaped(markdown.replace(marks, found => (found.startsWith('\\') ? found : ''))))

export const linksOf = (line: string): MarkdownLink[] =>
  [...withoutImages(line).matchAll(link)].flatMap(([, text, href = '']) =>
    text === undefined ? [] : [{ text: plainText(text), href: unescaped(href) }],
  )

/** Returns the searched part of a line. Its escapes stay. */
const withoutImages = (line: string): string =>
  line.slice(0, maxLineLength).replace(image, found => (found.startsWith('\\') ? found : ''))

/** A fence that opens code, also as the beginning of an item of a list. */
const opening = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,})[^`]*$/

/** Follows the fenced code of a text. The extractor writes a fence that is longer than all backticks in its code. */
export class CodeFence {
  /** The fence that ends the current code; null outside of code. */
  open: string | null = null

  /** Takes the next line of the text. Returns whether it is code or a fence. */
  takes(line: string): boolean {
    const { open } = this
    if (open === null) this.open = opening.exec(line)?.[1] ?? null
    else if (line.trimStart().startsWith(open)) this.open = null
    return open !== null || this.open !== null
  }
}

/** Returns the first heading, or null. */
export function firstHeading(markdown: string): string | null {
  const code = new CodeFence()
  const line = markdown.split('\n').find(line => !code.takes(line) && /^#{1,6} +\S/.test(line))
  return line === undefined ? null : plainText(line) || null
}

/** Returns the share of a text's characters that are in links, from 0 to 1. */
export function linkShare(markdown: string): number {
  let all = 0
  let linked = 0
  for (const line of linesOf(markdown)) {
    all += plainText(line).length
    for (const { text } of linksOf(line)) linked += text.length
  }
  return all === 0 ? 0 : Math.min(1, linked / all)
}

/** Returns the number of characters of text in the first lines. They suffice to distinguish a form from a document. */
export function textLength(markdown: string): number {
  let length = 0
  for (const line of linesOf(markdown)) length += plainText(line).length
  return length
}

const maxLines = 500
const linesOf = (markdown: string): string[] => markdown.split('\n', maxLines)

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' })
/** A shorter sentence may end at an abbreviation. */
const minSentence = 25
const maxSentence = 300
/** A shorter paragraph is a label rather than prose. */
const minParagraph = 40

/** Returns the first sentence of prose, else the first text that is not a heading, else null. */
export function firstSentence(markdown: string): string | null {
  let other: string | null = null
  const code = new CodeFence()
  for (const line of linesOf(markdown)) {
    if (code.takes(line) || /^\s*(?:#{1,6}\s|\||<|\[\^|[-*_]{3,}\s*$)/.test(line)) continue
    const text = plainText(line)
    if (text === '') continue
    const isProse = /^[^\s>*+-]/.test(line) && !/^\d{1,9}[.)]\s/.test(line)
    if (isProse && text.length >= minParagraph && linkShare(line) < 0.5) return sentenceOf(text)
    other ??= text
  }
  return other === null ? null : sentenceOf(other)
}

function sentenceOf(text: string): string {
  let sentence = ''
  for (const { segment } of sentences.segment(text)) {
    sentence += segment
    if (sentence.trim().length >= minSentence) break
  }
  return shortened(sentence.trim(), maxSentence)
}

/** Cuts a long text after a word. */
export const shortened = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\s+\S*$/, '')}…`
