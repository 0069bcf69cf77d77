/** From a page's links to what its run may follow. */
import type { Scope } from '@tidemark/contracts/run'
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { inScope } from '@tidemark/url/scope'

/**
 * The distinct addresses in scope, in the order of the page, each with its key.
 * @param hrefs normal forms
 */
export function linksInScope(hrefs: Iterable<string>, scope: Scope): FoundLink[] {
  const distinct = new Set<string>()
  for (const href of hrefs) if (!distinct.has(href) && inScope(scope, href)) distinct.add(href)
  return Array.from(distinct, href => [urlKey(href), href])
}
