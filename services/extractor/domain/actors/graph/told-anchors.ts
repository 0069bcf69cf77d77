/** The texts by which other pages link to a few pages, as they are told. */
import type { RankedLinks } from '@tidemark/contracts/ask/link-graph'
import type { AnchorCount } from './anchor-counts.ts'

/** Of JSON, for all texts together: however badly they pack, with all else they fit into one message. */
const mostBytes = 7 * 1024 ** 2

export type ToldAnchors = {
  anchors: RankedLinks['anchors']
  /** Whether texts found no room. */
  isCut: boolean
}

/**
 * For each target in turn its texts, of equally frequent ones that which comes first. A text whose page has gone
 * meanwhile is left out, and so are all that come behind the first that finds no room.
 */
export function toldAnchors(
  targets: readonly (readonly AnchorCount[])[],
  texts: ReadonlyMap<number, string | null>,
  most = mostBytes,
): ToldAnchors {
  let left = most
  const anchors = targets.map(counts =>
    named(counts, texts).filter(([text]) => {
      if (left >= 0) left -= Buffer.byteLength(JSON.stringify(text))
      return left >= 0
    }),
  )
  return { anchors, isCut: left < 0 }
}

function named(
  counts: readonly AnchorCount[],
  texts: ReadonlyMap<number, string | null>,
): [text: string, count: number][] {
  const all = counts.flatMap(({ anchor, count }): [string, number][] => {
    const text = texts.get(anchor) ?? null
    return text === null ? [] : [[text, count]]
  })
  return all.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}
