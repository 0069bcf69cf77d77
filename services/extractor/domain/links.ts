/** From what a page or sitemap names to what its run may follow. */
import type { Scope } from '@tidemark/contracts/run'
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { inScope } from '@tidemark/url/scope'

/** Of all addresses together: no sitemap that names them in full has more; one that is relative to a long address may. */
const mostCharacters = 50 * 1024 ** 2

/** Collects the distinct addresses in scope, each with its key, in the order in which they come, as far as there is room. */
export class LinksInScope {
  readonly found: FoundLink[] = []
  readonly #scope: Scope
  readonly #distinct = new Set<string>()
  #left = mostCharacters

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** Whether something found no room. */
  get isFull(): boolean {
    return this.#left < 0
  }

  /** @param href a normal form; null is none */
  add(href: string | null): void {
    if (href === null || this.#distinct.has(href) || !inScope(this.#scope, href)) return
    this.#left -= href.length
    if (this.#left < 0) return
    this.#distinct.add(href)
    this.found.push([urlKey(href), href])
  }
}

/**
 * The distinct addresses in scope, in the order of the page.
 * @param hrefs normal forms
 */
export function linksInScope(hrefs: Iterable<string>, scope: Scope): FoundLink[] {
  const links = new LinksInScope(scope)
  for (const href of hrefs) links.add(href)
  return links.found
}
