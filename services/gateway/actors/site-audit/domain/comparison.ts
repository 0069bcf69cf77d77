/**
 * Compares the findings of two runs: each pair of a rule and a URL is new, the same, or gone. A pair of one run is not
 * compared if the rule does not apply to the other run, or that run has no complete audit of the page: a missing finding
 * there proves nothing.
 */
import type { Change } from '@tidemark/contracts/http/actors/audit-site'
import type { Site } from './site.ts'

export type Changes = { new: number; same: number; gone: number }

/** Pages between two pauses. */
const pagesAtOnce = 500

export class Comparison {
  readonly byRule = new Map<string, Changes>()
  /** Number of gone findings whose page the newer run does not have. */
  missingWithPage = 0
  /** Number of findings of either run whose page the other has not audited completely. */
  notCompared = 0
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
      const after = pageIn(now, earlier, page)
      for (const rule of comparison.#onlyEarlier(page)) {
        const change = isKnown(now, after, rule) ? 'gone' : null
        comparison.#count(rule, change)
        if (change === 'gone' && after === -1) comparison.missingWithPage += 1
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

  /** Returns null for a finding that is not compared. @param page position in the newer run */
  changeOf(page: number, rule: string): Exclude<Change, 'gone'> | null {
    const before = pageIn(this.#earlier, this.#now, page)
    if (before !== -1 && has(this.#earlier, before, rule)) return 'same'
    return isKnown(this.#earlier, before, rule) ? 'new' : null
  }

  /** Yields the rules of the gone findings of a page. @param page position in the earlier run */
  *missingAt(page: number): Generator<string> {
    const after = pageIn(this.#now, this.#earlier, page)
    for (const rule of this.#onlyEarlier(page)) if (isKnown(this.#now, after, rule)) yield rule
  }

  /** @param page position in the earlier run */
  *#onlyEarlier(page: number): Generator<string> {
    const after = pageIn(this.#now, this.#earlier, page)
    for (const rule of this.#earlier.log.rulesOf(page))
      if (after === -1 || !has(this.#now, after, rule)) yield rule
  }

  #count(rule: string, change: Change | null): void {
    if (change === null) {
      this.notCompared += 1
      return
    }
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

/** Whether the run shows that the page has no other findings of the rule. @param page -1: not among the pages of the run */
const isKnown = ({ pages, isCut, log, notApplied }: Site, page: number, rule: string): boolean =>
  !notApplied.has(rule) && (page === -1 ? !isCut : pages.audited[page] === true && log.hasAll(page, rule))

function has(site: Site, page: number, wanted: string): boolean {
  for (const rule of site.log.rulesOf(page)) if (rule === wanted) return true
  return false
}
