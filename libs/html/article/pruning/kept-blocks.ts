/** Counts the blocks that pruning keeps. */
import { textOf } from '../../tree/text-of.ts'
import { BlockSum } from '../block-sum.ts'
import { collapsed } from '../collapsed.ts'
import { isInline } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'

/**
 * Returns the sum of kept blocks.
 * @param dropped 1 for elements that are left out, including all elements inside of them.
 */
export function keptSum(page: Outline, dropped: Uint8Array): BlockSum {
  const left = droppedBlocks(page, dropped)
  return new BlockSum(page, (_, at) => (left[at] === 1 ? 0 : 1))
}

/** Returns 1 for each block that is left out as a whole. */
function droppedBlocks(page: Outline, dropped: Uint8Array): Uint8Array {
  const { elements, ends, firstBlock, lastBlock, blocks } = page
  const left = new Uint8Array(blocks.length)
  for (let at = 0; at < elements.length; at = dropped[at] === 1 ? (ends[at] ?? at + 1) : at + 1) {
    if (dropped[at] !== 1 || !coversBlocks(page, at)) continue
    left.fill(1, firstBlock[at], lastBlock[at])
  }
  return left
}

/** Returns whether an element has its blocks alone. The block of an inline element may have other text. */
function coversBlocks({ elements, blocks, firstBlock, lastBlock }: Outline, at: number): boolean {
  const element = elements[at]
  if (element === undefined || !isInline(element)) return true
  const from = firstBlock[at] ?? 0
  if ((lastBlock[at] ?? 0) - from !== 1) return false
  return collapsed(textOf(element)).trim() === blocks[from]?.text
}
