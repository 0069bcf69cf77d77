/**
 * Splits a section into the pieces of its chunks: whole blocks, and parts of blocks that alone exceed the limit. Every
 * piece is within the limit.
 */
import type { Block } from './blocks.ts'

export type CountTokens = (text: string, max?: number) => number

export type Piece = {
  start: number
  end: number
  tokens: number
  kind: Block['kind']
  /** Whether the block was split. */
  isPart: boolean
}

/** A part of the text. */
type Span = { start: number; end: number }

export function* piecesOf(
  markdown: string,
  blocks: readonly Block[],
  max: number,
  count: CountTokens,
): Generator<Piece> {
  for (const { start, end, kind } of blocks) {
    const tokens = count(markdown.slice(start, end), max)
    if (tokens <= max) yield { start, end, tokens, kind, isPart: false }
    else
      for (const part of partsOf(markdown, { start, end }, max, count)) yield { ...part, kind, isPart: true }
  }
}

type Part = Span & { tokens: number }

/** Splits at line ends. Lines above the limit are split after sentences, such sentences after words or anywhere. */
function* partsOf(markdown: string, { start, end }: Span, max: number, count: CountTokens): Generator<Part> {
  for (let at = start; at < end; ) {
    const newline = markdown.indexOf('\n', at)
    const line = { start: at, end: newline === -1 ? end : Math.min(end, newline + 1) }
    at = line.end
    yield* smaller(markdown, line, max, count, sentencesOf)
  }
}

type Splitting = (markdown: string, span: Span, max: number) => Iterable<Span>

function* smaller(
  markdown: string,
  span: Span,
  max: number,
  count: CountTokens,
  split: Splitting | null,
): Generator<Part> {
  const tokens = count(markdown.slice(span.start, span.end), max)
  if (tokens <= max || split === null) yield { ...span, tokens }
  else
    for (const part of split(markdown, span, max))
      yield* smaller(markdown, part, max, count, split === sentencesOf ? wordsOf : null)
}

const sentenceEnd = /[.!?…]["'”’)\]]{0,3}[ \t]+|[。！？]["'”’）」』]{0,3}/g

/** Splits a line after its sentences. */
export function* sentencesOf(markdown: string, { start, end }: Span): Generator<Span> {
  const text = markdown.slice(start, end)
  let from = 0
  for (const { index, 0: found } of text.matchAll(sentenceEnd)) {
    const to = index + found.length
    if (to === text.length) break
    yield { start: start + from, end: start + to }
    from = to
  }
  if (from < text.length) yield { start: start + from, end }
}

/** Maximum UTF-16 code units per part, even if the limit allows more. */
const maxUnits = 400
/** Maximum tokens of a UTF-16 code unit: it has at most three bytes in UTF-8, and each token has at least one. */
const maxTokensOfUnit = 3

/** Splits after white space, or anywhere in a long word, into parts that no characters can bring above the limit. */
export function* wordsOf(markdown: string, { start, end }: Span, max: number): Generator<Span> {
  const units = Math.min(maxUnits, Math.floor(max / maxTokensOfUnit))
  for (let at = start; at < end; ) {
    const to = at + units >= end ? end : wordEnd(markdown, at, at + units)
    yield { start: at, end: to }
    at = to
  }
}

function wordEnd(markdown: string, start: number, latest: number): number {
  for (let at = latest; at > start + 1; at--) {
    const character = markdown[at - 1]
    if ((character === ' ' || character === '\t') && markdown[at] !== character) return at
  }
  const code = markdown.charCodeAt(latest - 1)
  const isInPair = code >= 0xd800 && code < 0xdc00
  return isInPair ? latest - 1 : latest
}
