/**
 * Finds the addresses among the tags of an XML sitemap. Its state is the open entry and the number of open elements
 * within it. Nesting therefore needs no memory, and an unclosed element spoils at most one entry.
 * Elements whose prefix differs from the root element's belong to an extension (images, videos, news). They are not
 * addresses.
 */
import type { TokenizerCallbacks } from 'htmlparser2'
import type { Addresses, List } from './addresses.ts'
import { Collected } from './collected.ts'
import { extensions, type Format, formats } from './formats.ts'

export class Scanner implements TokenizerCallbacks {
  readonly #text: string
  readonly #addresses: Addresses
  readonly #collected = new Collected()
  readonly #date = new Collected()
  #format: Format | null = null
  #root: string | null = null
  /** Names of the elements in this document, with their prefix. */
  #entries: ReadonlyMap<string, List> = new Map()
  #addressName = ''
  #prefix = ''
  #dateName: string | null = null
  #name = ''
  /** The open entry. */
  #entry: { name: string; list: List } | null = null
  /** Number of open elements within the entry. */
  #within = 0
  #isAddress = false
  #isDate = false
  #attribute = ''
  #values = { href: '', rel: '' }
  /** Whether the scanner is inside the declarations of a document type, which are not elements. */
  #declares = false
  #over = false

  /** Requires a tokenizer that does not decode entities. */
  constructor(text: string, addresses: Addresses) {
    this.#text = text
    this.#addresses = addresses
  }

  get what(): Format['what'] | 'unknown' {
    return this.#format?.what ?? 'unknown'
  }

  /** Whether the rest of the text can be skipped. */
  get isOver(): boolean {
    return this.#over || this.#addresses.isFull
  }

  /** Ends the text at any position. Incomplete addresses are discarded. */
  finish(): void {
    this.#addresses.isBrokenOff = this.#format !== null && !this.isOver
    this.#collected.drop()
    this.#date.drop()
    this.#endEntry()
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#text.slice(start, end)
    if (this.#declares || this.isOver) return
    if (this.#root === null) this.#begin(this.#name)
    else if (!this.#beginEntry(this.#name) && this.#entry !== null) this.#beginWithin(this.#name)
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#isAddress ? this.#text.slice(start, end) : ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== 'href' && this.#attribute !== 'rel') return
    if (this.#values[this.#attribute].length < maxValueLength)
      this.#values[this.#attribute] += this.#text.slice(start, end)
  }

  onopentagend(): void {
    if (!this.#isAddress || this.#format?.inAttribute === undefined) return
    const { href, rel } = this.#values
    if (/^\s*(?:alternate\s*)?$/i.test(rel)) this.#collected.add(href)
    this.#endAddress()
  }

  onselfclosingtag(): void {
    this.onopentagend()
    this.#close(this.#name)
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#text.slice(start, end))
  }

  ontext(start: number, end: number): void {
    if (this.#declares) this.#declares = !this.#text.slice(start, end).includes(']')
    else if (this.#within === 1) this.#open?.add(this.#text.slice(start, end))
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.#within === 1) this.#open?.addLiteral(this.#text.slice(start, end - offset))
  }

  /** The tokenizer reports only the start of a document type that has its own declarations. */
  ondeclaration(start: number, end: number): void {
    const declared = this.#text.slice(start, Math.min(end, start + maxValueLength))
    const opens = declared.indexOf('[')
    if (/^!?doctype/i.test(declared) && opens !== -1) this.#declares = !declared.includes(']', opens)
  }

  onattribend(): void {
    this.#attribute = ''
  }
  onattribentity(): void {}
  ontextentity(): void {}
  oncomment(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #begin(name: string): void {
    const colon = name.indexOf(':')
    this.#root = name
    const prefix = name.slice(0, colon + 1)
    this.#prefix = prefix
    const format = formats.get(name.slice(colon + 1))
    this.#over = format === undefined
    if (format === undefined) return
    this.#format = format
    this.#entries = new Map(Array.from(format.entries, ([entry, list]) => [prefix + entry, list]))
    this.#addressName = prefix + format.address
    this.#dateName = format.date === undefined ? null : prefix + format.date
  }

  /** Opens an entry and closes the previous one. Returns false if the element is not an entry. */
  #beginEntry(name: string): boolean {
    const list = this.#entries.get(name)
    if (list === undefined) return false
    this.#endEntry()
    this.#entry = { name, list }
    return true
  }

  #beginWithin(name: string): void {
    this.#within += 1
    if (this.#within > 1) return
    this.#isDate = name === this.#dateName
    if (name === this.#addressName) {
      this.#isAddress = true
      this.#values = { href: '', rel: '' }
    } else this.#countExtra(name)
  }

  /** Counts an element of an extension. Elements with the root element's prefix belong to no extension. */
  #countExtra(name: string): void {
    const colon = name.indexOf(':')
    const mayBeExtra = this.#format?.what === 'urlset' && this.#entry?.list === 'urls'
    if (colon === -1 || !mayBeExtra || this.#isOwn(name)) return
    const extra = extensions.get(name.slice(colon + 1))
    if (extra !== undefined) this.#addresses.extras[extra] += 1
  }

  #isOwn(name: string): boolean {
    return this.#prefix !== '' && name.startsWith(this.#prefix)
  }

  #close(name: string): void {
    if (name === this.#root) {
      this.#endEntry()
      this.#over = true
    } else if (name === this.#entry?.name) this.#endEntry()
    else if (this.#within > 0) {
      this.#within -= 1
      if (this.#within === 0) this.#endPart()
    }
  }

  /** Returns the part that receives the next text, or null outside of addresses and dates. */
  get #open(): Collected | null {
    if (this.#isAddress) return this.#collected
    return this.#isDate ? this.#date : null
  }

  /** Ends an address. The first non-empty address of an entry counts. */
  #endAddress(): void {
    this.#isAddress = false
    this.#collected.end()
  }

  #endPart(): void {
    this.#endAddress()
    if (!this.#isDate) return
    this.#isDate = false
    this.#date.end()
  }

  #endEntry(): void {
    this.#endPart()
    if (this.#entry !== null) this.#addresses.add(this.#entry.list, this.#collected.take(), this.#date.take())
    this.#entry = null
    this.#within = 0
  }
}

const maxValueLength = 16 * 1024
