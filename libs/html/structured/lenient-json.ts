/**
 * Reads invalid JSON of sites if only one meaning is possible: trailing commas, line breaks inside strings, comments,
 * and the wrappers that once hid scripts from old browsers. Everything else remains an error with its position.
 * Linear in the text, and limited to the depth `maxDepth`.
 */
import { maxDepth } from './json-values.ts'

export type JsonFaultReason =
  | 'empty'
  | 'too-long'
  | 'too-deep'
  | 'not-an-object'
  | 'unexpected-end'
  | 'unexpected-character'
  | 'unknown-escape'

/** `position` counts UTF-16 units from the start of the text. */
export type JsonFault = { reason: JsonFaultReason; position: number }

export type JsonResult = { value: unknown; fault: null } | { value: null; fault: JsonFault }

/** Parses a text. Never throws: unreadable text gives a fault. */
export function parseLenient(text: string): JsonResult {
  const reader = new Reader(text)
  try {
    return { value: reader.document(), fault: null }
  } catch (error) {
    if (error instanceof Fault)
      return { value: null, fault: { reason: error.reason, position: error.position } }
    throw error
  }
}

class Fault extends Error {
  readonly reason: JsonFaultReason
  readonly position: number

  constructor(reason: JsonFaultReason, position: number) {
    super(reason)
    this.reason = reason
    this.position = position
  }
}

/** Text around the document: white space, comment and CDATA marks (also after `//`), and a semicolon. */
const wrapping = /(?:[\s\ufeff\u200b;]|<!--|-->|<!\[CDATA\[|\]\]>|\/\/(?=[ \t]*(?:<!|--|\]\])))*/y
const space = /[\s\ufeff\u200b]*/y
const plain = /[^"\\]*/y
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const unicode = /[0-9a-fA-F]{4}/y

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): unknown {
    this.#skip(wrapping)
    if (this.#at === this.#text.length) throw new Fault('empty', 0)
    const value = this.#value(1)
    this.#skip(wrapping)
    return this.#at === this.#text.length ? value : this.#refuse()
  }

  #value(depth: number): unknown {
    const character = this.#text[this.#at]
    if (character === '"') return this.#string()
    if (character !== '{' && character !== '[') return JSON.parse(this.#take(scalar) || this.#refuse())
    if (depth > maxDepth) throw new Fault('too-deep', this.#at)
    this.#at += 1
    return character === '{' ? this.#object(depth) : this.#array(depth)
  }

  #object(depth: number): object {
    const entries: [string, unknown][] = []
    while (!this.#closes('}', entries.length > 0)) {
      const name = this.#text[this.#at] === '"' ? this.#string() : this.#refuse()
      this.#skip(space)
      if (this.#text[this.#at] !== ':') this.#refuse()
      this.#at += 1
      this.#skip(space)
      entries.push([name, this.#value(depth + 1)])
    }
    return Object.fromEntries(entries)
  }

  #array(depth: number): unknown[] {
    const values: unknown[] = []
    while (!this.#closes(']', values.length > 0)) values.push(this.#value(depth + 1))
    return values
  }

  /** Skips the separators between two members. Returns true after the closing bracket, which may follow a comma. */
  #closes(bracket: string, comma: boolean): boolean {
    this.#skip(space)
    if (comma && this.#text[this.#at] === ',') {
      this.#at += 1
      this.#skip(space)
    } else if (comma && this.#text[this.#at] !== bracket) this.#refuse()
    if (this.#text[this.#at] !== bracket) return false
    this.#at += 1
    return true
  }

  #string(): string {
    let value = ''
    this.#at += 1
    for (;;) {
      value += this.#take(plain)
      const end = this.#text[this.#at]
      if (end === undefined) return this.#refuse()
      this.#at += 1
      if (end === '"') return value
      value += this.#escaped()
    }
  }

  /** Reads an escape. A mark with a needless backslash stands for itself, but a letter would be ambiguous. */
  #escaped(): string {
    const character = this.#text[this.#at] ?? this.#refuse()
    this.#at += 1
    if (character === 'u') {
      const digits = this.#take(unicode)
      if (digits !== '') return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const meant = escapes[character] ?? (/[!-/:-@[-`{-~]/.test(character) ? character : null)
    if (meant === null) throw new Fault('unknown-escape', this.#at - 2)
    return meant
  }

  #take(form: RegExp): string {
    form.lastIndex = this.#at
    const taken = form.exec(this.#text)?.[0] ?? ''
    this.#at += taken.length
    return taken
  }

  /** Skips white space and comments, which may be in the same positions. */
  #skip(form: RegExp): void {
    for (;;) {
      this.#take(form)
      const close = this.#text.startsWith('/*', this.#at) ? '*/' : '\n'
      if (close === '\n' && !this.#text.startsWith('//', this.#at)) return
      const end = this.#text.indexOf(close, this.#at + 2)
      this.#at = end === -1 ? this.#text.length : end + close.length
    }
  }

  #refuse(): never {
    const reason = this.#at >= this.#text.length ? 'unexpected-end' : 'unexpected-character'
    throw new Fault(reason, this.#at)
  }
}
