/** Finds sections of a text whose heading indicates that they do not belong to it. */
import type { BlockSum } from '../block-sum.ts'
import { headings } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { asideHeading, linksHeading, sourceHeading } from '../standing-texts.ts'
import { keptSum } from './kept-blocks.ts'

/** Maximum share of the text in one section that is left out: within the text, and in its last part. */
const maxShare = { within: 0.04, late: 0.15 }
/**
 * A section belongs to the text if it has this minimum of paragraphs, each with these minimum words and at most this
 * share of links.
 */
const paragraph = { min: 2, minWords: 20, maxLinked: 0.2 } as const
/** The last part of the text starts at this share of it. */
const lastPart = 0.6

/**
 * Returns the elements of sections that do not belong to the text.
 * @param dropped 1 for elements that are left out already
 * @param names The names of the authors. At the end of the text, a section with such a heading presents the author.
 */
export function asideSections(
  reading: Reading,
  container: number,
  dropped: Uint8Array,
  names: readonly string[],
): number[] {
  const { page, prose } = reading
  const { elements, blocks, ends, firstBlock, lastBlock } = page
  const found: number[] = []
  const first = firstBlock[container] ?? 0
  const last = lastBlock[container] ?? blocks.length
  const whole = prose.of(container)
  const keptBlocks = keptSum(reading.page, dropped)
  const next = nextHeadings(page, keptBlocks)
  for (let at = container + 1; at < (ends[container] ?? 0); at++) {
    const name = elements[at]?.name ?? ''
    const text = blocks[firstBlock[at] ?? 0]?.text ?? ''
    if (!headings.has(name) || text.length > 100 || dropped[at] === 1 || keptBlocks.of(at) === 0) continue
    const isLate = (firstBlock[at] ?? 0) - first > (last - first) * lastPart
    const isOfLinks = linksHeading.test(text)
    const isAside = isOfLinks || asideHeading.test(text)
    if (!isAside && !(isLate && (sourceHeading.test(text) || names.includes(text)))) continue
    const section = sectionOf(page, at, { container, keptBlocks, next })
    if (hasProse(reading, section) || (isOfLinks && !isLinked(page, section))) continue
    const size = section.reduce((sum, element) => sum + prose.of(element), 0)
    if (size > whole * (isLate ? maxShare.late : maxShare.within)) continue
    for (const element of section) found.push(element)
  }
  return found
}

/** Returns whether the part of a section below its heading is empty, or mostly links. */
function isLinked({ blocks, firstBlock, lastBlock }: Outline, [, ...section]: readonly number[]): boolean {
  let [size, linked] = [0, 0]
  for (const at of section) {
    for (const block of blocks.slice(firstBlock[at], lastBlock[at])) {
      size += block.size
      linked += block.linked
    }
  }
  return linked >= size / 2
}

/**
 * Returns whether a section is text despite its heading. Paragraphs right beneath the heading belong to the text,
 * whereas teasers and comments are in boxes.
 */
function hasProse({ page }: Reading, section: readonly number[]): boolean {
  const full = section.filter(element => {
    const block = page.blocks[page.firstBlock[element] ?? 0]
    if (page.elements[element]?.name !== 'p' || block?.element !== element) return false
    return block.words >= paragraph.minWords && block.linked < block.size * paragraph.maxLinked
  })
  return full.length >= paragraph.min
}

type Within = {
  container: number
  keptBlocks: BlockSum
  /** By element, the first heading at or after it. */
  next: Int32Array
}

/** Returns the first heading with kept text at or after each element. */
function nextHeadings({ elements }: Outline, keptBlocks: BlockSum): Int32Array {
  const next = new Int32Array(elements.length + 1).fill(elements.length)
  for (let at = elements.length - 1; at >= 0; at--) {
    const isHeading = headings.has(elements[at]?.name ?? '') && keptBlocks.of(at) > 0
    next[at] = isHeading ? at : (next[at + 1] ?? at)
  }
  return next
}

/**
 * Returns the elements of the section that a heading begins: the heading, or the outermost element that keeps nothing
 * else, and the elements after it. The section ends before an element whose first heading has the same or a higher rank.
 * So an element is in at most six sections, one for each rank.
 */
function sectionOf(page: Outline, heading: number, { container, keptBlocks, next }: Within): number[] {
  const { elements, ends, parents } = page
  let top = heading
  const size = keptBlocks.of(heading)
  for (let parent = parents[top] ?? -1; parent > container; parent = parents[top] ?? -1) {
    if (keptBlocks.of(parent) !== size || headings.has(elements[parent]?.name ?? '')) break
    top = parent
  }
  const rank = elements[heading]?.name ?? 'h6'
  const section = [top]
  const parent = parents[top] ?? container
  for (let at = ends[top] ?? 0; at < (ends[parent] ?? 0); at = ends[at] ?? at + 1) {
    const first = next[at] ?? elements.length
    if (first < (ends[at] ?? 0) && (elements[first]?.name ?? '') <= rank) break
    section.push(at)
  }
  return section
}
