/** The text of one address, as it comes in pieces: references are decoded in text, and stand for themselves in CDATA. */
import { maxAddressLength } from './limits.ts'

/** Every character may be written as a reference. */
const maxTextLength = maxAddressLength * 10

export class Collected {
  #done = ''
  #raw = ''
  #decoded = ''

  /** Text as it stands in the document. A reference may be in two pieces. */
  add(text: string): void {
    if (this.#raw.length < maxTextLength) this.#raw += text
  }

  /** Text that means itself. */
  addLiteral(text: string): void {
    this.#decode()
    if (this.#decoded.length < maxTextLength) this.#decoded += text
  }

  /** The element ends. Of several, the first that says anything is kept. */
  end(): void {
    this.#decode()
    this.#done ||= this.#decoded.trim()
    this.#decoded = ''
  }

  /** Discards the current entry. */
  drop(): void {
    this.#raw = ''
    this.#decoded = ''
  }

  /** Returns the collected text, or the empty string, and starts again. */
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

/**
 * Decodes what XML knows without a DTD: five names, and characters by number (XML 1.0, 4.1 and 4.6). A name that a
 * document declares itself stays as it stands there, so that no entity can grow or reach for a file.
 */
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

/** A bare `&` is an ampersand: many write their queries so. */
const decodeReferences = (text: string): string =>
  text.includes('&') ? text.replace(reference, character) : text

function character(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name] ?? whole
  const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return point === 0 || point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point).toWellFormed()
}
