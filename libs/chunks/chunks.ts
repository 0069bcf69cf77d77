/**
 * Splits Markdown into chunks for language models. A chunk belongs to one section and never exceeds the limit of tokens.
 * It ends between blocks; only a block that alone exceeds the limit is split. Without an overlap the chunks together are
 * the text, character for character.
 */
import { hash } from 'node:crypto'
import { type CountTokens, type Piece, piecesOf, sentencesOf, wordsOf } from './pieces.ts'
import { sectionsOf } from './sections.ts'

export type ChunkOptions = {
  /** At least 16. */
  maxTokens: number
  /** Tokens of the preceding text of the same section that a chunk may repeat: at most half of `maxTokens`. */
  overlap: number
}

/** `start` and `end` are offsets in UTF-16 code units: the text is `markdown.slice(start, end)`. */
export type Chunk = {
  id: string
  text: string
  start: number
  end: number
  headingPath: string[]
  tokens: number
  /** Whether it contains a part of a block that alone exceeds the limit. */
  isPart: boolean
}

/** Limits the time and the size of the result, for example for a text of nothing but headings. */
export const maxChunks = 10_000

/** Returns at most `maxChunks` chunks. `isCut`: the text has more. */
export function chunksOf(
  markdown: string,
  options: ChunkOptions,
  count: CountTokens,
): { chunks: Chunk[]; isCut: boolean } {
  const chunks: Chunk[] = []
  const ids = new Map<string, number>()
  for (const { path, blocks } of sectionsOf(markdown)) {
    const pieces = piecesOf(markdown, blocks, options.maxTokens, count)
    for (const packed of packedFrom(markdown, pieces, options, count)) {
      if (chunks.length === maxChunks) return { chunks, isCut: true }
      const text = markdown.slice(packed.start, packed.end)
      chunks.push({ id: idOf(path, text, ids), text, ...packed, headingPath: path })
    }
  }
  return { chunks, isCut: false }
}

/** Returns the id of a text. Equal texts under equal headings are numbered, so that the ids of a page differ. */
function idOf(path: readonly string[], text: string, ids: Map<string, number>): string {
  const id = hash('sha256', JSON.stringify([path, text])).slice(0, 32)
  const earlier = ids.get(id) ?? 0
  ids.set(id, earlier + 1)
  return earlier === 0 ? id : hash('sha256', `${id} ${earlier}`).slice(0, 32)
}

type Packed = Pick<Chunk, 'start' | 'end' | 'tokens' | 'isPart'>

/** Fills chunks with as many pieces as fit. */
function* packedFrom(
  markdown: string,
  pieces: Iterator<Piece>,
  { maxTokens, overlap }: ChunkOptions,
  count: CountTokens,
): Generator<Packed> {
  let waiting: Piece[] = []
  let last: Piece[] = []
  let lastStart = -1
  for (;;) {
    const more = fill(waiting, pieces, maxTokens)
    const [first] = waiting
    if (first === undefined) return
    const found = overlap === 0 ? null : overlapOf(markdown, last, overlap, count)
    // An overlap that contains the whole previous chunk adds nothing, so it is dropped.
    const repeated = found !== null && found.start > lastStart ? found : null
    const { taken, tokens, start } = fitting(markdown, waiting, repeated, maxTokens, count)
    last = waiting.slice(0, taken)
    lastStart = start
    const end = last.at(-1)?.end ?? first.end
    yield { start, end, tokens, isPart: last.some(({ isPart }) => isPart) }
    waiting = waiting.slice(taken)
    if (!more && waiting.length === 0) return
  }
}

/** Adds pieces until they exceed the limit. Returns whether there may be more. */
function fill(waiting: Piece[], pieces: Iterator<Piece>, max: number): boolean {
  let tokens = waiting.reduce((sum, piece) => sum + piece.tokens, 0)
  while (tokens <= max) {
    const { value, done } = pieces.next()
    if (done) return false
    waiting.push(value)
    tokens += value.tokens
  }
  return true
}

type Repeated = { start: number; tokens: number }

/**
 * Returns the number of pieces that fit into a chunk after the repeated text. If none fits, the repeated text is left
 * out. A joined text may have fewer tokens than its parts, so the chunk is counted as a whole.
 */
function fitting(
  markdown: string,
  pieces: readonly Piece[],
  repeated: Repeated | null,
  max: number,
  count: CountTokens,
): { taken: number; tokens: number; start: number } {
  const start = repeated?.start ?? pieces[0]?.start ?? 0
  let taken = 0
  let sum = repeated?.tokens ?? 0
  for (const { tokens } of pieces) {
    if (sum + tokens > max) break
    sum += tokens
    taken++
  }
  while (taken > 0) {
    const tokens = count(markdown.slice(start, pieces[taken - 1]?.end))
    if (tokens <= max) return { taken, tokens, start }
    taken = Math.min(taken - 1, Math.floor((taken * max) / tokens))
  }
  if (repeated !== null) return fitting(markdown, pieces, null, max, count)
  return { taken: 1, tokens: pieces[0]?.tokens ?? 0, start }
}

/** Returns the end of a chunk that the next one repeats: whole blocks, then sentences or words of a text. */
function overlapOf(
  markdown: string,
  pieces: readonly Piece[],
  max: number,
  count: CountTokens,
): Repeated | null {
  let left = max
  let start: number | null = null
  for (const piece of pieces.toReversed()) {
    if (piece.kind === 'heading') break
    if (piece.tokens <= left) {
      left -= piece.tokens
      start = piece.start
      continue
    }
    if (piece.kind === 'text') start = tailOf(markdown, piece, left, count) ?? start
    break
  }
  if (start === null) return null
  const tokens = count(markdown.slice(start, pieces.at(-1)?.end))
  return tokens > max ? null : { start, tokens }
}

/** Returns the start of the last sentences of a piece that fit, or else of its last words, or null if nothing fits. */
function tailOf(markdown: string, piece: Piece, max: number, count: CountTokens): number | null {
  for (const split of [sentencesOf, wordsOf]) {
    let left = max
    let start: number | null = null
    for (const { start: from, end } of [...split(markdown, piece, Math.max(max, 16))].toReversed()) {
      left -= count(markdown.slice(from, end))
      if (left < 0) break
      start = from
    }
    if (start !== null) return start
  }
  return null
}
