/**
 * Collects the text of one address from its pieces. References are decoded in text, and kept as they are in CDATA.
 */
import { maxAddressLength } from './limits.ts'

/** Maximum characters of source text. The factor allows for addresses whose characters are all references. */
const maxTextLength = maxAddressLength * 10

export class Collected {
  #done = ''
  #raw = ''
  #decoded = ''

  /** Adds source text. A reference may be split between two pieces. */
  add(text: string): void {
    if (this.#raw.length < maxTextLength) this.#raw += text
  }

  /** Adds text in which references are not decoded. */
  addLiteral(text: string): void {
    this.#decode()
    if (this.#decoded.length < maxTextLength) this.#decoded += text
  }

  /** Ends the element. If there are several, the first non-empty one is kept. */
  end(): void {
    this.#decode()
    this.#done ||= this.#decoded.trim()
    this.#decoded = ''
  }

  /** Discards the element that is being read. */
  drop(): void {
    this.#raw = ''
    this.#decoded = ''
  }

  /** Returns and removes the kept text, or the empty string. */
  take(): string {
    const done = this.#done
    this.#done = ''
    return done
  }

  #decode(): void {
    if (this.#raw === '') return
    this.#decoded += decodeReferences(this.#raw)
    this.#raw = ''
  }
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

/**
 * Decodes the references that XML defines without a DTD: five names, and characters by number (XML 1.0, 4.1 and 4.6).
 * Names that a document declares itself are left undecoded, so no entity can expand or read a file. A bare `&` stays
 * an ampersand, because many sites write queries that way.
 */
const decodeReferences = (text: string): string =>
  text.includes('&') ? text.replace(reference, character) : text

function character(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name] ?? whole
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return point === 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point).toWellFormed()
}
