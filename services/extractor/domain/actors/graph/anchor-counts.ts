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
  most: number,
): AnchorCount[][] {
  const turns = new Int32Array(links.pages).fill(-1)
  for (const [turn, target] of targets.entries()) turns[target] = turn
  const lengths = new Uint32Array(targets.length)
  const eachOfThem = (see: (turn: number, anchor: number) => void) =>
    links.forEachLink((_, to, anchor) => {
      const turn = turns[to] as number
      if (turn >= 0 && anchor !== unknownText) see(turn, anchor)
    })
  eachOfThem(turn => {
    lengths[turn] = (lengths[turn] as number) + 1
  })
  const lists = Array.from(lengths, length => new Int32Array(length))
  lengths.fill(0)
  eachOfThem((turn, anchor) => {
    const at = lengths[turn] as number
    ;(lists[turn] as Int32Array)[at] = anchor
    lengths[turn] = at + 1
  })
  return lists.map(list => highestFrequency(list.sort(), most))
}

function highestFrequency(sorted: Int32Array, most: number): AnchorCount[] {
  const counts: AnchorCount[] = []
  for (let at = 0; at < sorted.length; ) {
    const anchor = sorted[at] as number
    const start = at
    while (sorted[at] === anchor) at++
    counts.push({ anchor, count: at - start })
  }
  return counts.sort((a, b) => b.count - a.count || a.anchor - b.anchor).slice(0, most)
}
