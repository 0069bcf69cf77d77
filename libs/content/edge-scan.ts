/**
 * Reads packed links one by one in place, without creating objects, so that millions of links take no more memory
 * than their bytes. A text is identified by its position and by a hash that equal texts share.
 */
import { unpackEdges } from './edges.ts'
import { Unpacker } from './unpacker.ts'

/**
 * A text in JSON: the range of its bytes without the quotes, and the two halves of its 64-bit hash. The hash is fast
 * and not cryptographic: an attacker can find two texts with equal hashes, or many that share a half.
 */
export type Span = { start: number; end: number; low: number; high: number }

const emptySpan = (): Span => ({ start: 0, end: 0, low: 0, high: 0 })

export class EdgeScan {
  /** Target of the current link, in normal form. */
  readonly href = emptySpan()
  readonly anchor = emptySpan()
  /** Whether the `rel` of the current link has `nofollow`. The robots meta tag of the page does not count. */
  nofollow = false
  readonly #unpacker = new Unpacker()
  readonly #unpack = (frame: Buffer, maxBytes: number) => this.#unpacker.unpack(frame, maxBytes)
  #json = nothing
  #at = 0

  /** Opens the links of a page. Throws on a blob of an unknown version. */
  open(blob: Buffer): void {
    this.#json = blob.byteLength === 0 ? nothing : jsonIn(unpackEdges(blob, this.#unpack))
    this.#at = 1
  }

  /** Advances to the next link. Returns false at the end. */
  next(): boolean {
    const json = this.#json
    const { bytes } = json
    let at = this.#at
    if (bytes[at] === comma) at++
    if (bytes[at] !== openBracket) return false
    at = readText(json, at + 2, this.href)
    if (bytes[at] === comma) at = readText(json, at + 2, this.anchor)
    else readText(onlyQuote, 0, this.anchor)
    if (bytes[at] === comma) at = bytes[at + 1] === quote ? readText(json, at + 2, ignored) : at + nullLength
    this.nofollow = bytes[at] === comma
    if (this.nofollow) at += 2
    if (bytes[at] !== closeBracket) throw new RangeError('These are not in the format of packed links.')
    this.#at = at + 1
    return true
  }

  /** Returns the text of a span. Spans are valid until the next page is opened. */
  textOf({ start, end }: Span): string {
    return this.textBetween(start, end)
  }

  /** Returns the text between the bounds of a span. */
  textBetween(start: number, end: number): string {
    return JSON.parse(`"${this.#json.bytes.toString('utf8', start, end)}"`)
  }
}

type Json = { bytes: Buffer; view: DataView }

function jsonIn(bytes: Buffer): Json {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
}

/** Returns the span with the hash that this text has in packed links. */
export function nameOf(text: string): Span {
  const span = emptySpan()
  readText(jsonIn(Buffer.from(JSON.stringify(text))), 1, span)
  return span
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const nullLength = ',null'.length
const quotes = 0x22222222
const backslashes = 0x5c5c5c5c
const nothing = jsonIn(Buffer.alloc(0))
const onlyQuote = jsonIn(Buffer.of(quote))
const ignored = emptySpan()

/** Reads a text from the position after its opening quote, and returns the position after its closing quote. */
function readText({ bytes, view }: Json, start: number, span: Span): number {
  let low = 0x1b873593
  let high = 0x2545f491
  let at = start
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true)
    if (hasByte(word ^ quotes) || hasByte(word ^ backslashes)) break
    low = lowMixed(low, word)
    high = highMixed(high, word)
  }
  for (; bytes[at] !== quote; at++) {
    if (at >= bytes.length) throw new RangeError('These are not in the format of packed links.')
    const isEscape = bytes[at] === backslash
    const word = isEscape ? backslash * 256 + (bytes[++at] ?? 0) : (bytes[at] as number)
    low = lowMixed(low, word)
    high = highMixed(high, word)
  }
  span.start = start
  span.end = at
  span.low = spread(low)
  span.high = spread(high)
  return at + 1
}

/** Returns whether one of four bytes is 0. */
const hasByte = (word: number): boolean => ((word - 0x01010101) & ~word & 0x80808080) !== 0

function lowMixed(low: number, word: number): number {
  const mixed = Math.imul(low ^ word, 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

function highMixed(high: number, word: number): number {
  const mixed = Math.imul(high ^ word, 0x27d4eb2f)
  return mixed ^ (mixed >>> 13)
}

/** Mixes the bits so that each bit of the text affects all bits of the hash (the end of MurmurHash3). */
function spread(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
