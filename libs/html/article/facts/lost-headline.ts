/** Finds the heading of the article that is outside of its text, for readers that receive only the text. */

import type { Choice } from '../chosen.ts'
import { headings } from '../element-kinds.ts'
import { likenessTo } from '../likeness-of-words.ts'

/** A heading outside of the text counts if it is at least this similar to the title. */
const minLikeness = 0.8

/** Returns the element of the heading, or -1 if it is part of the text or missing. */
export function lostHeadline(choice: Choice): number {
  const { title, titleBlock, container, to, reading } = choice
  const { page } = reading
  const inside = [...choice.pruned.reasons].find(([, reason]) => reason === 'headline')?.[0] ?? -1
  const block = page.blocks[titleBlock]
  if (block === undefined || title === null) return inside
  const { element, text } = block
  const name = page.elements[element]?.name ?? ''
  const isLess = inside < 0 || (name === 'h1' && page.elements[inside]?.name !== 'h1')
  const isOutside = element <= container || (inside < 0 && element >= to)
  return isLess && isOutside && headings.has(name) && likenessTo(title)(text) >= minLikeness
    ? element
    : inside
}
