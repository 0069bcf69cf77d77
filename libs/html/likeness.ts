/**
 * Identifies pages that only look new: calendars, endless lists, a server that sends one page for all addresses. It
 * covers the visible text outside of links, without the numbers of the page's own address. It also covers content
 * beside text: media, alternative texts, form fields, drawings, data for scripts.
 */
import { hash } from 'node:crypto'
import { CollapsedText } from './collapsed-text.ts'

/** Maximum bytes of text that count. Two pages that share this much text are alike in their text. */
const maxText = 16 * 1024
/**
 * Maximum attribute values that count, and characters of each. Two pages that share these are alike in other content.
 */
const maxValues = 512
const maxValueLength = 256

/** Shared by all pages, because the text of a page is read in one step and never overlaps with another. */
const unlinkedText = new CollapsedText(maxText)

/** Names of tokens of one response, which differ on every page of a server that sends one page for all addresses. */
const perAnswer = /nonce|csrf|xsrf|token|time|session|request|trace/i
/** Names of positions in a list or a calendar, which only repeat the numbers of the page's address. */
const position = /date|day|week|month|year|page|offset|index|ur[il]|path|href/i

export class Likeness {
  /** Receives the visible text outside of links. */
  readonly text = unlinkedText
  readonly #shown: string[] = []
  readonly #positions: string[] = []

  constructor() {
    unlinkedText.reset()
  }

  /** Receives the value of an attribute that shows something. null and values beyond the limits are left out. */
  addShown(value: string | null): void {
    if (value !== null && this.#shown.length < maxValues) this.#shown.push(value.slice(0, maxValueLength))
  }

  /**
   * Receives an attribute that every element may have, `data-*` or `style`.
   * @param isMedia Whether the element shows media, so that all its attributes are content.
   */
  addData(name: string, value: string, isMedia: boolean): void {
    if (name === 'style' && !value.includes('url(')) return
    if (isMedia) this.addShown(value)
    else if (position.test(name)) {
      if (this.#positions.length < maxValues) this.#positions.push(value.slice(0, maxValueLength))
    } else if (!perAnswer.test(name)) this.addShown(value)
  }

  /** Returns 16 hexadecimal digits. Call it once, at the end. */
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

/**
 * Removes the address of the page from an attribute. A server that sends one page for all addresses may repeat the
 * requested one, for example in a counter's image.
 */
function withoutAddress(shown: string, url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  if (path.length < 2 || shown === '') return shown
  return shown.replaceAll(path, '').replaceAll(encodeURIComponent(path), '')
}
