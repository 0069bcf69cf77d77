/**
 * Detects pages that only look new: calendars, endless lists, a server that answers every URL. It reads the visible
 * text outside of links, without numbers that also occur in the URL, and visible content other than text: media,
 * alternative texts, form fields, drawings, and data for scripts.
 */
import { hash } from 'node:crypto'
import { CollapsedText } from './collapsed-text.ts'

/** Bytes: two pages that share this much text are alike in it. */
const maxText = 16 * 1024
/** Attribute values, and characters of each: two pages that share these are alike in what they show. */
const maxValues = 512
const maxValueLength = 256

/** Shared by all pages, for their text is read in one step and so never meets another. */
const unlinkedText = new CollapsedText(maxText)

/** A token of one answer differs on every page of a server that answers everything with one page. */
const perAnswer = /nonce|csrf|xsrf|token|time|session|request|trace/i
/** Where the page stands in a list or a calendar: the numbers of its own address say no more. */
const position = /date|day|week|month|year|page|offset|index|ur[il]|path|href/i

export class Likeness {
  /** Takes the visible text outside links as it comes. */
  readonly text = unlinkedText
  readonly #shown: string[] = []
  readonly #positions: string[] = []

  constructor() {
    unlinkedText.reset()
  }

  /** Takes the value of an attribute that shows something; null and what exceeds the bounds are left out. */
  addShown(value: string | null): void {
    if (value !== null && this.#shown.length < maxValues) this.#shown.push(value.slice(0, maxValueLength))
  }

  /**
   * Adds an attribute that any element may have, `data-*` or `style`.
   * @param isMedia Whether the element shows media, so that all of its attributes are content.
   */
  addData(name: string, value: string, isMedia: boolean): void {
    if (name === 'style' && !value.includes('url(')) return
    if (isMedia) this.addShown(value)
    else if (position.test(name)) {
      if (this.#positions.length < maxValues) this.#positions.push(value.slice(0, maxValueLength))
    } else if (!perAnswer.test(name)) this.addShown(value)
  }

  /** 16 hexadecimal digits. To be called once, at the end. */
  hex(url: string): string {
    const own = new Set(url.match(/\d+/g))
    const { bytes } = this.text
    if (this.#shown.length === 0 && this.#positions.length === 0 && own.size === 0) return digest(bytes)
    const words = withoutNumbers(`${bytes.toString('latin1')}\0${this.#positions.join('\0')}`, own)
    return digest(`${words}\0\0${withoutAddress(this.#shown.join('\0'), url)}`)
  }
}

const digest = (content: string | Buffer): string => hash('sha1', content, 'hex').slice(0, 16)

const withoutNumbers = (text: string, own: ReadonlySet<string>): string =>
  own.size === 0 ? text : text.replace(/\d+/g, number => (own.has(number) ? '' : number))

/** A server that answers every URL may repeat the requested URL, for example in a counter's picture. */
function withoutAddress(shown: string, url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  if (path.length < 2 || shown === '') return shown
  return shown.replaceAll(path, '').replaceAll(encodeURIComponent(path), '')
}
