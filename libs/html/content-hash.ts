/**
 * A hash that changes with the content for readers: visible text, statements for search engines, and link targets.
 * Markup, scripts, styles, comments, nonces and white space do not count.
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
   * Returns the hash in hexadecimal. Call it once, at the end of the text.
   * @param statements The page's statements besides its text: any JSON value with a fixed order.
   * @param links Targets of its links, in the order of the page.
   */
  hex(statements: readonly unknown[], links: readonly { href: string }[]): string {
    return this.#hash
      .update(`\n${JSON.stringify(statements)}\n${links.map(({ href }) => href).join('\n')}`)
      .digest('hex')
  }
}
