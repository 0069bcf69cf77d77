/**
 * Plans a crawl of one site, breadth first: chooses the next page, and decides which fetched pages belong to the site.
 * It is pure.
 */
import { normalForm } from '@tidemark/url/normal-form'
import { inScope, type Scope, scopeOf } from '@tidemark/url/scope'

/** A page to fetch. Lower numbers were found earlier. */
export type Step = { url: string; depth: number; number: number }
export type VisitResult = 'new' | 'duplicate' | 'out_of_scope'

/** Maximum number of known addresses; further ones are ignored. */
const maxKnown = 20_000

export class SiteWalk {
  readonly #maxPages: number
  /** Pending steps by depth. */
  readonly #waiting: Step[][] = []
  readonly #known = new Set<string>()
  readonly #visited = new Set<string>()
  #scope: Scope
  #underWay = 0

  /**
   * @param url URL of the start
   * @param maxPages maximum number of pages
   */
  constructor(url: string, maxPages: number) {
    this.#maxPages = maxPages
    this.#scope = scopeOf(url, false)
    this.#find(normalForm(url) ?? url, 0)
  }

  /** Returns the next page; null: none is waiting, or the limit would be exceeded. */
  next(): Step | null {
    if (this.#visited.size + this.#underWay >= this.#maxPages) return null
    for (const steps of this.#waiting) {
      for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
        if (this.#visited.has(step.url)) continue // a redirect has led there in the meantime
        this.#underWay += 1
        return step
      }
    }
    return null
  }

  /** Whether no fetch is running and none can begin. */
  get isOver(): boolean {
    return (
      this.#underWay === 0 &&
      (this.#visited.size >= this.#maxPages || this.#waiting.every(steps => steps.length === 0))
    )
  }

  /**
   * Records a fetched page under its final URL, and its links. The final URL of the first page defines the site.
   * Returns whether the page is new.
   */
  arrive(step: Step, url: string, links: readonly string[]): VisitResult {
    this.#underWay -= 1
    const found = normalForm(url) ?? url
    if (step.number === 0) this.#scope = scopeOf(found, false)
    if (!inScope(this.#scope, found)) return 'out_of_scope'
    if (this.#visited.has(found)) return 'duplicate'
    this.#visited.add(found)
    this.#known.add(found)
    for (const link of links) if (inScope(this.#scope, link)) this.#find(link, step.depth + 1)
    return 'new'
  }

  /** Records a failed page, so that another one can take its slot. */
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
