/** Compares the findings of two runs: each pair of a rule and a URL is new, the same, or gone. */
import type { Change } from '@tidemark/contracts/http/actors/audit-site'
import type { Site } from './site.ts'

export type Changes = { new: number; same: number; gone: number }

export class Comparison {
  readonly byRule = new Map<string, Changes>()
  /** Number of gone findings whose page the newer run has not audited. */
  goneWithPage = 0
  readonly #now: Site
  readonly #earlier: Site

  constructor(now: Site, earlier: Site) {
    this.#now = now
    this.#earlier = earlier
    for (let page = 0; page < now.pages.length; page++)
      for (const { rule } of now.log.of(page)) this.#count(rule, this.changeOf(page, rule))
    for (const [page, rule] of this.gone()) {
      this.#count(rule, 'gone')
      if (this.#pageIn(now, earlier, page) === -1) this.goneWithPage += 1
    }
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
    const before = this.#pageIn(this.#earlier, this.#now, page)
    return before !== -1 && has(this.#earlier, before, rule) ? 'same' : 'new'
  }

  /** Yields the findings of the earlier run only, by position there. */
  *gone(): Generator<[page: number, rule: string]> {
    for (let page = 0; page < this.#earlier.pages.length; page++) {
      const after = this.#pageIn(this.#now, this.#earlier, page)
      for (const { rule } of this.#earlier.log.of(page))
        if (after === -1 || !has(this.#now, after, rule)) yield [page, rule]
    }
  }

  /** Position of a page of one run in the other, or -1. */
  #pageIn(other: Site, site: Site, page: number): number {
    const position = other.positions.get(site.pages.numbers[page] as number) ?? -1
    return position < other.pages.length ? position : -1
  }

  #count(rule: string, change: Change): void {
    const changes = this.byRule.get(rule) ?? { new: 0, same: 0, gone: 0 }
    changes[change] += 1
    this.byRule.set(rule, changes)
  }
}

const has = (site: Site, page: number, name: string): boolean =>
  site.log.of(page).some(({ rule }) => rule === name)
