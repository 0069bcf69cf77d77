/** Filters the URLs of a page or sitemap by the scope of the run. */
import type { Scope } from '@tidemark/contracts/run'
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import { knownKey } from '@tidemark/url/known-keys'
import { inScope } from '@tidemark/url/scope'

/**
 * Maximum length of all URLs together. Sitemaps with absolute URLs never exceed it; one with relative URLs and a long
 * base may.
 */
const maxCharacters = 50 * 1024 ** 2

/** Collects distinct URLs that a rule includes, with their keys, in order of occurrence, up to the maximum. */
export class DistinctLinks {
  readonly found: FoundLink[] = []
  /** Number of URLs that the rule excludes. */
  excluded = 0
  readonly #includes: (href: string) => boolean
  readonly #distinct = new Set<string>()
  #left = maxCharacters

  constructor(includes: (href: string) => boolean) {
    this.#includes = includes
  }

  /** Whether some URLs exceeded the maximum. */
  get isFull(): boolean {
    return this.#left < 0
  }

  /** @param href a normal form that keeps no larger string in memory, or null */
  add(href: string | null): void {
    if (href === null || this.#distinct.has(href)) return
    if (!this.#includes(href)) {
      this.excluded++
      return
    }
    this.#left -= href.length
    if (this.#left < 0) return
    this.#distinct.add(href)
    this.found.push([knownKey(href), href])
  }
}

/** Collects distinct URLs in scope. */
export class LinksInScope extends DistinctLinks {
  constructor(scope: Scope) {
    super(href => inScope(scope, href))
  }
}

/**
 * Returns the distinct URLs in scope, in page order.
 * @param hrefs normal forms
 */
export function linksInScope(hrefs: Iterable<string>, scope: Scope): FoundLink[] {
  const links = new LinksInScope(scope)
  for (const href of hrefs) links.add(href)
  return links.found
}
