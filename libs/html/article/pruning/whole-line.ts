/** Recognizes elements that have all text of a line. */
import type { Element } from 'domhandler'
import { textOf } from '../../tree/text-of.ts'
import type { Block } from '../outline.ts'
import type { Reading } from '../reading.ts'

/** Maximum words of such a line. An inline element rarely contains the whole of a longer line. */
const maxWords = 25

/**
 * Returns whether an element is exactly one block, or has all text of a line between other blocks. Numbers there may
 * count the steps of a text, and items of a listing may have any text.
 */
export function isWholeLine(
  at: number,
  { element, words, text }: Block,
  { page, pageKind }: Reading,
): boolean {
  const { elements, parents, firstBlock, lastBlock } = page
  if (element === at) return true
  if (element < 0 || element !== parents[at] || words > maxWords || pageKind === 'listing') return false
  const isBetween = (lastBlock[element] ?? 0) - (firstBlock[element] ?? 0) > 1
  return isBetween && !/^[#\d.\s]+$/.test(text) && textOf(elements[at] as Element) === text
}
