/** Finds texts that a page repeats: teasers and highlighted quotes of articles, quoted posts of forums. */
import { BlockSum } from '../block-sum.ts'
import type { Block, Outline } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { isInOtherPosition } from './same-position.ts'

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
  /** The words of blocks, and those of blocks that occurred before; only for a forum with quotes. */
  #sums: { words: BlockSum; quoted: BlockSum } | null = null

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
    return before !== undefined && isInOtherPosition(page, element, before, this.#container)
  }

  /**
   * Returns whether the blocks of a quote in a forum are those of an earlier post. Quotes may be nested to any depth, so
   * all of them share the sums.
   */
  isQuoted(from: number, to: number): boolean {
    const { pageKind, page } = this.#reading
    if (pageKind !== 'forum') return false
    this.#sums ??= sumsOf(page)
    const quoted = this.#sums.quoted.between(from, to)
    return quoted > 0 && quoted >= this.#sums.words.between(from, to) * minQuoted
  }
}

function sumsOf(page: Outline): { words: BlockSum; quoted: BlockSum } {
  const earlier = new Set<string>()
  const quoted = new BlockSum(page, ({ text, words }) => {
    if (earlier.has(text)) return words
    earlier.add(text)
    return 0
  })
  return { words: new BlockSum(page, ({ words }) => words), quoted }
}
