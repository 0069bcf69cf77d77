/** Finds the heading of the article that is outside of its text, for readers that receive only the text. */
import { headings } from '../element-kinds.ts'
import { likenessTo } from '../likeness-of-words.ts'
import type { Pruned } from '../pruning.ts'
import type { Reading } from '../reading.ts'

type ArticleRange = {
  title: string | null
  /** Position of the title (`titlePlace`). */
  place: number
  /** The text comes from the elements after `container`, up to `to`. */
  container: number
  to: number
}

/** A heading outside of the text counts if it is at least this similar to the title. */
const minLikeness = 0.8

/** Returns the element of the heading, or -1 if it is part of the text or missing. */
export function lostHeadline({ page }: Reading, { reasons }: Pruned, range: ArticleRange): number {
  for (const [element, reason] of reasons) if (reason === 'headline') return element
  const { title, place, container, to } = range
  const block = page.blocks[place]
  if (block === undefined || title === null) return -1
  const { element, text } = block
  const isOutside = element <= container || element >= to
  const isHeading = headings.has(page.elements[element]?.name ?? '')
  return isHeading && isOutside && likenessTo(title)(text) >= minLikeness ? element : -1
}
