/** Counts the texts of links from other pages to a few pages. */
import { unknownText } from './anchor-names.ts'
import type { LinkLog } from './link-log.ts'

export type AnchorCount = { anchor: number; count: number }

/**
 * Returns the most frequent texts of each target, up to a maximum. Equally frequent texts are in order of first
 * occurrence.
 */
export function anchorCountsOf(
  links: Pick<LinkLog, 'pages' | 'forEachLink'>,
  targets: readonly number[],
  maxTexts: number,
): AnchorCount[][] {
  const indexes = new Int32Array(links.pages).fill(-1)
  for (const [index, target] of targets.entries()) indexes[target] = index
  const lengths = new Uint32Array(targets.length)
  const forEachText = (see: (index: number, anchor: number) => void) =>
    links.forEachLink((_, to, anchor) => {
      const index = indexes[to] as number
      if (index >= 0 && anchor !== unknownText) see(index, anchor)
    })
  forEachText(index => {
    lengths[index] = (lengths[index] as number) + 1
  })
  const lists = Array.from(lengths, length => new Int32Array(length))
  lengths.fill(0)
  forEachText((index, anchor) => {
    const at = lengths[index] as number
    ;(lists[index] as Int32Array)[at] = anchor
    lengths[index] = at + 1
  })
  return lists.map(list => highestFrequency(list.sort(), maxTexts))
}

function highestFrequency(sorted: Int32Array, maxTexts: number): AnchorCount[] {
  const counts: AnchorCount[] = []
  for (let at = 0; at < sorted.length; ) {
    const anchor = sorted[at] as number
    const start = at
    while (sorted[at] === anchor) at++
    counts.push({ anchor, count: at - start })
  }
  return counts.sort((a, b) => b.count - a.count || a.anchor - b.anchor).slice(0, maxTexts)
}
