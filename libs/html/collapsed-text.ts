/**
 * Collects text as UTF-8 with collapsed white space: every run of white space and control characters becomes one
 * space, and both ends are trimmed. The loop that reads every character also counts them.
 */
import { CodeWindow } from './code-window.ts'
import { joint, kindOf, letters, quartersShift, wordsOf } from './words.ts'

/** Characters per step. Each needs at most three bytes, and a space may precede it. */
const step = 1024
const bytesPerStep = step * 4

const space = 0x20

export class CollapsedText {
  /** Number of code points, including spaces. */
  characters = 0
  readonly #bytes: Buffer
  #drain: ((bytes: Buffer) => void) | null = null
  #length = 0
  /** Kind of the last unit in `words.ts`: `letters` within a word, 0 before a pending space. */
  #state = 0
  #runs = 0
  #quarters = 0

  /** @param size Capacity in bytes. */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size + bytesPerStep)
  }

  /** The bytes that are not drained yet. Later additions overwrite them. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Number of words in the added text, without text that was added as a copy (`also`). */
  get words(): number {
    return wordsOf(this.#runs, this.#quarters)
  }

  /**
   * Starts again with an empty text.
   * @param drain Receives the bytes whenever the buffer is full. Without it, overflowing text is left out.
   */
  reset(drain: ((bytes: Buffer) => void) | null = null): void {
    this.#drain = drain
    this.characters = 0
    this.#length = 0
    this.#state = 0
    this.#runs = 0
    this.#quarters = 0
  }

  /** Ends the current word. */
  gap(): void {
    this.#state = 0
  }

  /**
   * Adds the text of a window from `start` to `end`.
   * @param also Receives the same text without reading each character a second time.
   */
  add(window: CodeWindow, start: number, end: number, also: CollapsedText | null = null): void {
    let at = start
    while (at < end) {
      if (this.#length + bytesPerStep > this.#bytes.length) {
        if (this.#drain === null) return
        this.#drain(this.bytes)
        this.#length = 0
      }
      const stop = Math.min(end, at + step)
      const seen = Math.min(end, stop + 1)
      const offset = window.offset(at, seen)
      const length = this.#length
      const { characters } = this
      at += this.#addStep(window.codes, offset, offset + stop - at, offset + seen - at)
      if (also !== null) also.#repeat(this, length, this.characters - characters)
    }
  }

  /** Adds a whole string. */
  addString(text: string): void {
    small.open(text)
    this.add(small, 0, text.length)
    small.close()
  }

  /** Returns the first `limit` characters as a separate string, which keeps no other string in memory. */
  take(limit: number): string {
    const bytes = this.bytes
    return this.characters === bytes.length
      ? bytes.toString('latin1', 0, Math.min(limit, bytes.length)).trimEnd()
      : bytes.toString('utf8', 0, lengthOf(bytes, limit)).trimEnd()
  }

  /**
   * Adds the units from `start` to `stop` and returns their number, plus one if a surrogate pair would be split.
   * @param seen End of the readable units.
   */
  #addStep(codes: Uint16Array, start: number, stop: number, seen: number): number {
    const bytes = this.#bytes
    const before = this.#length
    let length = before
    let continued = 0 // bytes after the first of each character
    let state = this.#state
    let runs = 0
    let quarters = 0
    let at = start
    if (this.characters === 0) {
      while (at < stop && kindOf[codes[at] ?? 0] === 0) at++
      if (at === stop) return at - start
      state = joint
    }
    while (at < stop) {
      const code = codes[at++] ?? 0
      if (code <= space) {
        state = 0
        continue
      }
      if (code < 0x7f) {
        if (state !== letters) {
          if (state === 0) bytes[length++] = space
          state = kindOf[code] ?? 0
          if (state === letters) runs += 1
        }
        bytes[length++] = code
        if (state !== letters) continue
        // Most characters are within a word and need no other check.
        for (let next = codes[at] ?? 0; at < stop && next > space && next < 0x7f; next = codes[++at] ?? 0) {
          bytes[length++] = next
        }
        continue
      }
      const kind = kindOf[code] ?? 0
      if (kind === 0) {
        state = 0
        continue
      }
      if (state === 0) bytes[length++] = space
      if (kind === letters) {
        if (state !== letters) runs += 1
        state = letters
      } else if (kind !== joint) {
        quarters += kind >> quartersShift
        state = joint
      } else if (state === 0) state = joint
      if (code < 0x800) {
        bytes[length++] = 0xc0 | (code >> 6)
        bytes[length++] = 0x80 | (code & 0x3f)
        continued += 1
        continue
      }
      const point = pointOf(code, at < seen ? (codes[at] ?? 0) : 0)
      if (point > 0xffff) at += 1
      const after = put(bytes, length, point)
      continued += after - length - 1
      length = after
    }
    this.#runs += runs
    this.#quarters += quarters
    this.#state = state
    this.characters += length - before - continued
    this.#length = length
    return at - start
  }

  /** Adds the last bytes of another text, from `from` on, up to the capacity. */
  #repeat(other: CollapsedText, from: number, characters: number): void {
    const added = other.#length - from
    if (added > 0 && this.#length + bytesPerStep <= this.#bytes.length) {
      const skipped = other.#bytes[from] === space ? 1 : 0
      const spaced = this.characters > 0 && (this.#state === 0 || skipped === 1) ? 1 : 0
      this.#bytes[this.#length] = space
      other.#bytes.copy(this.#bytes, this.#length + spaced, from + skipped, other.#length)
      this.#length += spaced + added - skipped
      this.characters += spaced + characters - skipped
    }
    this.#state = other.#state
  }
}

/** Window for strings, which are short and copied at once. */
const small = new CodeWindow(step * 4)

/** Returns the code point of a unit and the next one, or the replacement character for half a surrogate pair. */
function pointOf(code: number, next: number): number {
  if (code < 0xd800 || code > 0xdfff) return code
  const paired = code < 0xdc00 && next >= 0xdc00 && next <= 0xdfff
  return paired ? (code - 0xd800) * 0x400 + (next - 0xdc00) + 0x10000 : 0xfffd
}

/** Writes a code point of three or four bytes as UTF-8, and returns the new length. */
function put(bytes: Buffer, length: number, point: number): number {
  let at = length
  if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12)
  else {
    bytes[at++] = 0xf0 | (point >> 18)
    bytes[at++] = 0x80 | ((point >> 12) & 0x3f)
  }
  bytes[at++] = 0x80 | ((point >> 6) & 0x3f)
  bytes[at++] = 0x80 | (point & 0x3f)
  return at
}

/** Returns the number of bytes of the first `limit` characters. */
function lengthOf(bytes: Buffer, limit: number): number {
  let left = limit
  for (let at = 0; at < bytes.length; at++) {
    if (((bytes[at] ?? 0) & 0xc0) === 0x80) continue
    if (left === 0) return at
    left -= 1
  }
  return bytes.length
}
