/**
 * A walk through one site, breadth first: which page is next, and which of the pages that come back belong to it. It
 * knows nothing of time or of fetching.
 */
import { normalForm } from '@tidemark/url/normal-form'
import { inScope, type Scope, scopeOf } from '@tidemark/url/scope'

/** A page to be fetched; the lower its number, the earlier it was found. */
export type Step = { url: string; depth: number; number: number }
export type Arrival = 'new' | 'duplicate' | 'out_of_scope'

/** Addresses that are remembered: what is found beyond is left alone. */
const maxKnown = 20_000

export class SiteWalk {
  readonly #most: number
  /** Steps to be taken, by depth. */
  readonly #waiting: Step[][] = []
  readonly #known = new Set<string>()
  readonly #had = new Set<string>()
  #scope: Scope
  #underWay = 0

  /** @param url where it begins; @param most pages that it may have */
  constructor(url: string, most: number) {
    this.#most = most
    this.#scope = scopeOf(url, false)
    this.#find(normalForm(url) ?? url, 0)
  }

  /** The next page; null where there is none now, or all that it may have are there or under way. */
  next(): Step | null {
    if (this.#had.size + this.#underWay >= this.#most) return null
    for (const steps of this.#waiting) {
      for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
        if (this.#had.has(step.url)) continue // another one led there meanwhile
        this.#underWay += 1
        return step
      }
    }
    return null
  }

  /** Whether nothing is under way and nothing can begin any more. */
  get isOver(): boolean {
    return (
      this.#underWay === 0 &&
      (this.#had.size >= this.#most || this.#waiting.every(steps => steps.length === 0))
    )
  }

  /** A page came back from where its redirects led; the site is where the first one did. */
  arrive(step: Step, url: string, links: readonly string[]): Arrival {
    this.#underWay -= 1
    const found = normalForm(url) ?? url
    if (step.number === 0) this.#scope = scopeOf(found, false)
    if (!inScope(this.#scope, found)) return 'out_of_scope'
    if (this.#had.has(found)) return 'duplicate'
    this.#had.add(found)
    this.#known.add(found)
    for (const link of links) if (inScope(this.#scope, link)) this.#find(link, step.depth + 1)
    return 'new'
  }

  /** It did not come back, and its place is free for another one. */
  fail(): void {
    this.#underWay -= 1
  }

  #find(url: string, depth: number): void {
    if (this.#known.has(url) || this.#known.size >= maxKnown) return
    const number = this.#known.size
    this.#known.add(url)
    this.#waiting[depth] ??= []
    this.#waiting[depth].push({ url, depth, number })
  }
}
