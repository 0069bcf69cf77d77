/** Finds the lead before the container of the text: the sentences right under the title, and an image. */
import { isImage } from '../tree/image-source.ts'
import { headings } from './element-kinds.ts'
import type { Outline } from './outline.ts'
import { isDateline } from './pruning/dateline.ts'
import { isBoilerplate, proseOf, type Reading } from './reading.ts'
import { invitation, isDisclosure, standing } from './standing-texts.ts'

/** Maximum size of a lead. A longer text is another text. */
const maxBlocks = 3
const maxWords = 90
/** Maximum lines between the title and the text. */
const nearest = 25

/**
 * Returns the elements of the lead in order.
 * @param titleBlock Position of the block with the title.
 */
export function leadElements(reading: Reading, titleBlock: number, container: number): number[] {
  const { page } = reading
  const { blocks, elements, firstBlock } = page
  const start = firstBlock[container] ?? 0
  const title = blocks[titleBlock]
  if (title === undefined || titleBlock >= start || start - titleBlock > nearest) return []
  if (!headings.has(elements[title.element]?.name ?? '')) return []
  const found: number[] = []
  let words = 0
  for (let at = titleBlock + 1; at < start; at++) {
    const block = blocks[at]
    if (block === undefined || block.element < 0 || proseOf(block) === 0 || block.linked > 0) continue
    if (standing.test(block.text) || isDisclosure(block.text) || invitation.test(block.text)) continue
    if (isDateline(block.text)) continue
    if ((page.ends[block.element] ?? 0) > container) continue // it is around the text
    if (found.includes(block.element) || isInBoilerplate(reading, block.element)) continue
    if (hasTime(block.element, page)) continue
    found.push(block.element)
    words += block.words
  }
  const lead = found.length <= maxBlocks && words <= maxWords ? found : []
  const image = imageBetween(reading, title.element, container)
  return outermost(image < 0 ? lead : [...lead, image], page)
}

/** Returns the first image of a figure between the title and the text, or -1. Captions are no part of a text. */
function imageBetween(reading: Reading, title: number, container: number): number {
  const { elements, ends } = reading.page
  for (let at = ends[title] ?? container; at < container; at++) {
    const end = ends[at] ?? 0
    if (elements[at]?.name !== 'figure' || end > container || isInBoilerplate(reading, at)) continue
    const image = elements.slice(at, end).findIndex(isImage)
    if (image >= 0) return at + image
  }
  return -1
}

/** Returns whether an element has a `time`. Right under a title, it is the time of publication. */
function hasTime(element: number, { elements, ends }: Outline): boolean {
  for (let at = element; at < (ends[element] ?? 0); at++) if (elements[at]?.name === 'time') return true
  return false
}

/** Returns the elements that are in no other one of them, in order. */
const outermost = (found: readonly number[], { ends }: Outline): number[] =>
  found
    .filter(at => !found.some(around => around < at && at < (ends[around] ?? 0)))
    .sort((one, other) => one - other)

function isInBoilerplate(reading: Reading, element: number): boolean {
  const { parents } = reading.page
  for (let at = element; at >= 0; at = parents[at] ?? -1) {
    if (isBoilerplate(reading, at, reading.prose.whole)) return true
  }
  return false
}
