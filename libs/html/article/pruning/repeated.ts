/** Finds texts that a page repeats: teasers and highlighted quotes of articles, quoted posts of forums. */
import type { Block } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { isElsewhere } from './same-place.ts'

const minRepeated = 20
/** Minimum share of the words of a quote that earlier posts have. The others name the author of the post. */
const minQuoted = 0.8

export class Repeated {
  readonly #reading: Reading
  readonly #container: number
  /** Whether the page has code. Instructions have variants, which repeat sentences. */
  readonly #hasCode: boolean
  /** Earlier texts of whole elements, each with the last element that has it. */
  readonly #seen = new Map<string, number>()
  /** All earlier blocks of a forum, up to a position. */
  readonly #earlier = new Set<string>()
  #until = 0

  constructor(reading: Reading, container: number) {
    this.#reading = reading
    this.#container = container
    this.#hasCode = reading.page.elements.some(({ name }) => name === 'pre')
  }

  add(text: string, element: number): void {
    this.#seen.set(text, element)
  }

  /**
   * Returns whether an element repeats an earlier text in another kind of position. A repetition in the same kind is a
   * refrain.
   */
  isRepeated(element: number, { words, text }: Block): boolean {
    const { pageKind, page } = this.#reading
    if (pageKind === 'listing' || this.#hasCode || words < minRepeated) return false
    const before = this.#seen.get(text)
    return before !== undefined && isElsewhere(page, element, before, this.#container)
  }

  /** Returns whether the blocks of a quote in a forum are those of an earlier post. */
  isQuoted(from: number, to: number): boolean {
    const { pageKind, page } = this.#reading
    if (pageKind !== 'forum') return false
    for (; this.#until < from; this.#until++) this.#earlier.add(page.blocks[this.#until]?.text ?? '')
    let [words, quoted] = [0, 0]
    for (const block of page.blocks.slice(from, to)) {
      words += block.words
      if (this.#earlier.has(block.text)) quoted += block.words
    }
    return quoted > 0 && quoted >= words * minQuoted
  }
}
