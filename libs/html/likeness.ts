/**
 * Tells pages apart that only look new: calendars, endless lists, a server that answers everything. Of a page it
 * takes the text that a reader sees besides links, and leaves out the numbers that stand in its own address.
 */
import { hash } from 'node:crypto'
import { CollapsedText } from './collapsed-text.ts'

/** Bytes: what two pages share beyond them makes them alike. */
const mostRead = 16 * 1024

/** Shared by all pages, for their text is read in one step and so never meets another. */
const unlinkedText = new CollapsedText(mostRead)

export class Likeness {
  /** Takes the visible text outside links as it comes. */
  readonly text = unlinkedText

  constructor() {
    unlinkedText.reset()
  }

  /** 16 hexadecimal digits. Ask once, at the end. */
  hex(url: string): string {
    const own = new Set(url.match(/\d+/g))
    const { bytes } = this.text
    const words = own.size === 0 ? bytes : withoutNumbers(bytes.toString('latin1'), own)
    return hash('sha1', words, 'hex').slice(0, 16)
  }
}

const withoutNumbers = (text: string, own: ReadonlySet<string>): string =>
  text.replace(/\d+/g, number => (own.has(number) ? '' : number))
