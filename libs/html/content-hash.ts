/**
 * The hash that shows whether a page has changed for its readers: it covers the visible text, the statements for
 * search engines, and the links. Markup, scripts, styles, comments, nonces and white space do not count.
 */
import { createHash } from 'node:crypto'
import { CollapsedText } from './collapsed-text.ts'

/** Shared by all pages, because the text of a page is read in one step and never overlaps with another. */
const visibleText = new CollapsedText(32 * 1024)

export class ContentHash {
  /** Receives the visible text. */
  readonly text = visibleText
  readonly #hash = createHash('sha256')

  constructor() {
    visibleText.reset(bytes => this.#hash.update(bytes))
  }

  /** Ends the text. */
  close(): void {
    this.#hash.update(this.text.bytes)
  }

  /**
   * Returns the hash in hexadecimal. Call it once, after the end of the text.
   * @param statements The page's statements besides its text: JSON values in a fixed order.
   * @param links Targets of links in the order of the page.
   */
  hex(statements: readonly unknown[], links: readonly { href: string }[]): string {
    return this.#hash
      .update(`\n${JSON.stringify(statements)}\n${links.map(({ href }) => href).join('\n')}`)
      .digest('hex')
  }
}
