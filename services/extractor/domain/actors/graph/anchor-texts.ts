/** The texts of links from other pages to a few pages, as sent. */
import type { RankedLinks } from '@tidemark/contracts/rpc/link-graph'
import type { AnchorCount } from './anchor-counts.ts'

/** Maximum JSON size of all texts together: even incompressible texts fit into one message with the rest. */
const maxBytes = 7 * 1024 ** 2

export type AnchorTexts = {
  anchors: RankedLinks['anchors']
  /** Whether some texts exceeded the maximum. */
  isCut: boolean
}

/**
 * Returns the texts of each target, most frequent first, equally frequent ones in alphabetical order. Texts of deleted
 * pages are left out, and so are all texts after the first that exceeds the maximum.
 * @param texts by number; null for a text that cannot be read
 */
export function anchorTexts(
  targets: readonly (readonly AnchorCount[])[],
  texts: ReadonlyMap<number, string | null>,
  max = maxBytes,
): AnchorTexts {
  let left = max
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
