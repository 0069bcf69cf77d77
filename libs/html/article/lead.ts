/** Finds the lead before the container of the text: the sentences right under the title. */
import { headings } from './element-kinds.ts'
import { isBoilerplate, proseOf, type Reading } from './reading.ts'
import { invitation, isDisclosure, standing } from './standing-texts.ts'

/** Longer texts are not a lead but another text. */
const maxBlocks = 3
const maxWords = 90
/** Maximum lines between the title and the text. */
const nearest = 25

/**
 * Returns the elements of the lead in order.
 * @param place Position of the title.
 */
export function leadElements(reading: Reading, place: number, container: number): number[] {
  const { page } = reading
  const { blocks, elements, firstBlock } = page
  const start = firstBlock[container] ?? 0
  const title = blocks[place]
  if (title === undefined || place >= start || start - place > nearest) return []
  if (!headings.has(elements[title.element]?.name ?? '')) return []
  const found: number[] = []
  let words = 0
  for (let at = place + 1; at < start; at++) {
    const block = blocks[at]
    if (block === undefined || block.element < 0 || proseOf(block) === 0 || block.linked > 0) continue
    if (standing.test(block.text) || isDisclosure(block.text) || invitation.test(block.text)) continue
    if (found.includes(block.element) || isInBoilerplate(reading, block.element)) continue
    found.push(block.element)
    words += block.words
  }
  return found.length <= maxBlocks && words <= maxWords ? found : []
}

function isInBoilerplate(reading: Reading, element: number): boolean {
  const { parents } = reading.page
  for (let at = element; at >= 0; at = parents[at] ?? -1) {
    if (isBoilerplate(reading, at, reading.prose.whole)) return true
  }
  return false
}
