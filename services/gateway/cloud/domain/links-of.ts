/** The link targets of a page. */
import type { Anchor } from '@tidemark/contracts/http/content'

/** Returns each target once, in the order of the page. */
export const linksOf = (anchors: readonly Anchor[] = []): string[] => [
  ...new Set(anchors.map(({ to }) => to)),
]
