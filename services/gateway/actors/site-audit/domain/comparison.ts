/** Compares the findings of two runs: each pair of a rule and a URL is new, the same, or gone. */
import type { Change } from '@tidemark/contracts/http/actors/audit-site'
import type { Site } from './site.ts'

export type Changes = { new: number; same: number; gone: number }

/** Pages between two pauses. */
const pagesAtOnce = 500

export class Comparison {
  readonly byRule = new Map<string, Changes>()
  /** Number of gone findings whose page the newer run does not have. */
  goneWithPage = 0
  readonly #now: Site
  readonly #earlier: Site

  private constructor(now: Site, earlier: Site) {
    this.#now = now
    this.#earlier = earlier
  }

  /** @param pause is called every few hundred pages */
  static async of(now: Site, earlier: Site, pause: () => Promise<void>): Promise<Comparison> {
    const comparison = new Comparison(now, earlier)
    for (let page = 0; page < now.pages.length; page++) {
      for (const rule of now.log.rulesOf(page)) comparison.#count(rule, comparison.changeOf(page, rule))
      if (page % pagesAtOnce === 0) await pause()
    }
    for (let page = 0; page < earlier.pages.length; page++) {
      const isLost = pageIn(now, earlier, page) === -1
      for (const rule of comparison.goneAt(page)) {
        comparison.#count(rule, 'gone')
        if (isLost) comparison.goneWithPage += 1
      }
      if (page % pagesAtOnce === 0) await pause()
    }
    return comparison
  }

  get totals(): Changes {
    const total = { new: 0, same: 0, gone: 0 }
    for (const changes of this.byRule.values()) {
      total.new += changes.new
      total.same += changes.same
      total.gone += changes.gone
    }
    return total
  }

  /** @param page position in the newer run */
  changeOf(page: number, rule: string): Exclude<Change, 'gone'> {
    const before = pageIn(this.#earlier, this.#now, page)
    return before !== -1 && has(this.#earlier, before, rule) ? 'same' : 'new'
  }

  /** Yields the rules of the findings that only the earlier run has. @param page position there */
  *goneAt(page: number): Generator<string> {
    const after = pageIn(this.#now, this.#earlier, page)
    for (const rule of this.#earlier.log.rulesOf(page))
      if (after === -1 || !has(this.#now, after, rule)) yield rule
  }

  #count(rule: string, change: Change): void {
    const changes = this.byRule.get(rule) ?? { new: 0, same: 0, gone: 0 }
    changes[change] += 1
    this.byRule.set(rule, changes)
  }
}

/** Position of a page of one run in the other, or -1. */
function pageIn(other: Site, site: Site, page: number): number {
  const position = other.positions.get(site.pages.numbers[page] as number) ?? -1
  return position < other.pages.length ? position : -1
}

function has(site: Site, page: number, wanted: string): boolean {
  for (const rule of site.log.rulesOf(page)) if (rule === wanted) return true
  return false
}
