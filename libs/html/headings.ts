/** Collects the text of the first three levels of headings. */
import { OpenText } from './open-text.ts'

export type HeadingLevel = 'h1' | 'h2' | 'h3'

const maxHeadings = 1000
const maxHeadingLength = 500

export class Headings {
  /** The text of the open heading, or null if none is open. */
  text: OpenText | null = null
  readonly found: Record<HeadingLevel, string[]> = { h1: [], h2: [], h3: [] }
  #open: HeadingLevel = 'h1'

  open(level: HeadingLevel): void {
    this.close()
    this.#open = level
    this.text = headingText
    headingText.reset()
  }

  /** Closes the open heading at any heading's end tag. A heading without text is ignored. */
  close(): void {
    if (this.text === null) return
    const heading = this.text.take(maxHeadingLength)
    const found = this.found[this.#open]
    if (heading !== '' && found.length < maxHeadings) found.push(heading)
    this.text = null
  }
}

const headingText = new OpenText()
