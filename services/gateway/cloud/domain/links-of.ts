/** The addresses that a page links to. */
import type { Anchor } from '@tidemark/contracts/http/content'

/** Each once, in the order in which they stand there. */
export const linksOf = (anchors: readonly Anchor[] = []): string[] => [
  ...new Set(anchors.map(({ to }) => to)),
]
