/**
 * The hash that tells whether a page has changed for those who read it: its visible text, and what it tells
 * search engines and where it links. Markup, scripts, styles, comments, nonces and white space do not count.
 */
import { createHash } from 'node:crypto'
import { CollapsedText } from './collapsed-text.ts'

/** Shared by all pages, for their text is read in one step and so never meets another. */
const visibleText = new CollapsedText(32 * 1024)

export class ContentHash {
  /** Takes the visible text as it comes. */
  readonly text = visibleText
  readonly #hash = createHash('sha256')

  constructor() {
    visibleText.reset(bytes => this.#hash.update(bytes))
  }

  /** The text has ended. */
  close(): void {
    this.#hash.update(this.text.bytes)
  }

  /**
   * The hash in hexadecimal. Ask once, when the text has ended.
   * @param statements What the page says besides its text; anything JSON can hold, in an order of its own.
   * @param links Where it leads, in the order of the page.
   */
  hex(statements: readonly unknown[], links: readonly { href: string }[]): string {
    return this.#hash
      .update(`\n${JSON.stringify(statements)}\n${links.map(({ href }) => href).join('\n')}`)
      .digest('hex')
  }
}
