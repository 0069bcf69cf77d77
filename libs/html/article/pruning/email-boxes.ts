/** Finds the boxes around fields for e-mail addresses: offers of newsletters and accounts, also without such a name. */
import { isMainElement } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'

/** Maximum size of a box. Larger elements contain other texts too. */
const maxBlocks = 8
const maxWords = 80
/** Maximum elements of a box, with or without text. Without this limit, searching a large page would take seconds. */
const maxElements = 200
const maxFields = 8
const whole = new Set(['body', 'article'])

/** Returns the largest elements around such fields that are boxes. An element with the title of the page is not a box. */
export function emailBoxes(page: Outline): number[] {
  const { elements, parents, ends, blocks, firstBlock, lastBlock, withEmail } = page
  const isBox = (at: number): boolean => {
    const element = elements[at]
    const [from = 0, to = 0] = [firstBlock[at], lastBlock[at]]
    if (element === undefined || whole.has(element.name) || isMainElement(element)) return false
    if (to - from > maxBlocks || (ends[at] ?? 0) - at > maxElements) return false
    const words = blocks.slice(from, to).reduce((sum, block) => sum + block.words, 0)
    return words <= maxWords && !elements.slice(at, ends[at]).some(({ name }) => name === 'h1')
  }
  return [...new Set(withEmail)].slice(0, maxFields).flatMap(field => {
    let box = -1
    for (let at = field; isBox(at); at = parents[at] ?? -1) box = at
    return box < 0 ? [] : [box]
  })
}
