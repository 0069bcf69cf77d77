/** Finds the heading of the article if its text does not contain it, for readers that receive only the text. */
import { headings } from '../element-kinds.ts'
import { likenessTo } from '../likeness-of-words.ts'
import type { Pruned } from '../pruning.ts'
import type { Reading } from '../reading.ts'

type Told = {
  title: string | null
  /** Where the title stands (`titlePlace`). */
  place: number
  /** The elements of which the text was taken: from the one after `container`, up to `to`. */
  container: number
  to: number
}

/** Outside of the text a heading is the article's where it says its title. */
const alike = 0.8

/** The element of the heading; -1 if the text contains it, or if there is no heading. */
export function lostHeadline({ page }: Reading, { reasons }: Pruned, told: Told): number {
  for (const [element, reason] of reasons) if (reason === 'headline') return element
  const { title, place, container, to } = told
  const block = page.blocks[place]
  if (block === undefined || title === null) return -1
  const { element, text } = block
  const isOutside = element <= container || element >= to
  const isHeading = headings.has(page.elements[element]?.name ?? '')
  return isHeading && isOutside && likenessTo(title)(text) >= alike ? element : -1
}
