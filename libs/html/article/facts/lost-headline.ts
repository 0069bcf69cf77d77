/** Finds the heading of the article that is outside of its text, for readers that receive only the text. */

import type { Choice } from '../chosen.ts'
import { headings } from '../element-kinds.ts'
import { likenessTo } from '../likeness-of-words.ts'

/** A heading outside of the text counts if it is at least this similar to the title. */
const minLikeness = 0.8

/** Returns the element of the heading, or -1 if it is part of the text or missing. */
export function lostHeadline(choice: Choice): number {
  for (const [element, reason] of choice.pruned.reasons) if (reason === 'headline') return element
  const { title, place, container, to, reading } = choice
  const { page } = reading
  const block = page.blocks[place]
  if (block === undefined || title === null) return -1
  const { element, text } = block
  const isOutside = element <= container || element >= to
  const isHeading = headings.has(page.elements[element]?.name ?? '')
  return isHeading && isOutside && likenessTo(title)(text) >= minLikeness ? element : -1
}
