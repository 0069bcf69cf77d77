/** Finds the block with the title of the article. */
import { headings } from '../element-kinds.ts'
import { likenessTo } from '../likeness-of-words.ts'
import type { Outline } from '../outline.ts'

/** Returns the position of the block with the title, or of the text's first block if none has it. */
export function titleBlockOf(page: Outline, title: string | null, container: number): number {
  const start = container < 0 ? 0 : (page.firstBlock[container] ?? 0)
  if (title === null) return start
  const likeTitle = likenessTo(title)
  let best = start
  let maxLikeness = minLikeness
  for (const [at, block] of page.blocks.entries()) {
    if (block.words > maxWords) continue
    const isHeading = headings.has(page.elements[block.element]?.name ?? '')
    if (!isHeading && Math.abs(at - start) > near) continue
    const bonus = isHeading ? ofHeading : 0
    const like = likeTitle(block.text, maxLikeness - bonus) + bonus
    if (like <= maxLikeness) continue
    best = at
    maxLikeness = like
  }
  return best
}

/** A text that is less similar does not have the title. A heading may be less similar by `ofHeading`. */
const minLikeness = 0.8
const ofHeading = 0.1
const maxWords = 60
const near = 60

/**
 * Returns whether the title is a heading of the first level above the text, and several such headings in the text begin
 * its sections. A single one in the text is its headline, and the one above is the name of the site.
 */
export function hasTitleAbove(
  { elements, blocks, firstBlock, lastBlock }: Outline,
  container: number,
  likeTitle: (text: string) => number,
): boolean {
  const titles = (from: number, to: number) =>
    blocks.slice(from, to).filter(({ element }) => elements[element]?.name === 'h1')
  const first = firstBlock[container] ?? 0
  const isAbove = titles(0, first).some(({ text }) => likeTitle(text) >= minLikeness)
  return isAbove && titles(first, lastBlock[container] ?? 0).length > 1
}
