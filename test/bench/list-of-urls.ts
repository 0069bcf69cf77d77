/** The site's pages as a list of URLs. */
import type { Site } from './round.ts'
import { pathOf } from './site.ts'

/** Returns each page once. The hosts take turns, so that neighbours in the list are of different hosts. */
export const urlsOf = ({ origins, pages }: Site): string[] =>
  Array.from({ length: pages }, (_, page) => `${origins[page % origins.length]}${pathOf(page)}`)
