import type { Anchor } from '@tidemark/contracts/http/content'

/** Returns the link targets of a page, each once, in the order of the page. */
export const linkTargetsOf = (anchors: readonly Anchor[] = []): string[] => [
  ...new Set(anchors.map(({ to }) => to)),
]
