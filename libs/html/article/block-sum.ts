/** A sum over blocks as running totals, so that the sum of any element is one subtraction. */
import type { Block, Outline } from './outline.ts'

export class BlockSum {
  readonly #totals: Float64Array
  readonly #outline: Outline

  constructor(outline: Outline, valuing: (block: Block, at: number) => number) {
    const { blocks } = outline
    this.#outline = outline
    this.#totals = new Float64Array(blocks.length + 1)
    let total = 0
    for (const [at, block] of blocks.entries()) {
      total += valuing(block, at)
      this.#totals[at + 1] = total
    }
  }

  /** Returns the sum of all blocks inside an element. */
  of(element: number): number {
    const { firstBlock, lastBlock } = this.#outline
    return this.between(firstBlock[element] ?? 0, lastBlock[element] ?? 0)
  }

  /** Returns the sum of the blocks from `first` to before `last`. */
  between(first: number, last: number): number {
    return last <= first ? 0 : (this.#totals[last] ?? 0) - (this.#totals[first] ?? 0)
  }

  get whole(): number {
    return this.#totals.at(-1) ?? 0
  }
}
