/** Finds headings of lists that are left out. */
import { type Element, isTag } from 'domhandler'
import { BlockSum } from '../block-sum.ts'
import { headings } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'
import { counter } from './excused.ts'
import { keptSum } from './kept-blocks.ts'

/** Reasons to leave out the list that a heading names. Other headings name a subject, also above an advertisement. */
const reasonsOfLists = new Set(['links', 'navigation', 'sources', 'related', 'teasers', 'comments'])
/** Elements with content but without text. Of such elements, an outline contains only images. */
const media = new Set(['video', 'audio', 'iframe', 'object', 'embed', 'svg', 'canvas'])
const hasMedia = ({ name, children }: Element): boolean =>
  name === 'img' || children.some(child => isTag(child) && media.has(child.name))
const maxRank = 6

/**
 * Returns the headings whose section lost a list and keeps no content. Headings with a link, and those of the first
 * level, are content themselves.
 * @param dropped 1 for elements that are left out.
 * @param reasons The reasons to leave out elements.
 */
export function emptiedHeadings(
  page: Outline,
  container: number,
  dropped: Uint8Array,
  reasons: ReadonlyMap<number, string>,
): number[] {
  const { elements, ends, blocks, firstBlock, lastBlock } = page
  const found: number[] = []
  if (![...reasons.values()].some(reason => reasonsOfLists.has(reason))) return found
  const keptBlocks = keptSum(page, dropped)
  const lists = listSum(page, reasons)
  const keptMedia = counter(elements, (element, at) => dropped[at] !== 1 && hasMedia(element))
  /**
   * By the rank of a heading: whether its section had a list that is left out, and whether the section keeps content.
   */
  const had = new Uint8Array(maxRank + 1)
  const keeps = new Uint8Array(maxRank + 1)
  let next = ends[container] ?? 0
  let nextBlock = lastBlock[container] ?? 0
  for (let at = next - 1; at > container; at--) {
    const name = elements[at]?.name ?? ''
    if (!headings.has(name)) continue
    // a heading in a list that is left out, such as the title of a teaser, is part of that list
    const end = (dropped[at] === 1 ? firstBlock[at] : lastBlock[at]) ?? 0
    if (lists.between(end, nextBlock) > 0) had.fill(1)
    if (keptBlocks.between(end, nextBlock) > 0 || keptMedia(ends[at] ?? 0, next) !== 0) keeps.fill(1)
    const rank = Number(name.slice(1))
    const isContent = rank === 1 || (blocks[firstBlock[at] ?? 0]?.linked ?? 0) > 0
    const isEmptied = !isContent && had[rank] === 1 && keeps[rank] !== 1
    had.fill(0, rank)
    keeps.fill(0, rank)
    if (dropped[at] !== 1) {
      if (isEmptied) found.push(at)
      else keeps.fill(1, 0, rank)
    }
    next = at
    nextBlock = firstBlock[at] ?? 0
  }
  return found
}

/** Returns the sum of blocks in lists that are left out. */
function listSum(page: Outline, reasons: ReadonlyMap<number, string>): BlockSum {
  const inList = new Uint8Array(page.blocks.length)
  for (const [at, reason] of reasons) {
    if (reasonsOfLists.has(reason)) inList.fill(1, page.firstBlock[at], page.lastBlock[at])
  }
  return new BlockSum(page, (_, at) => inList[at] ?? 0)
}
