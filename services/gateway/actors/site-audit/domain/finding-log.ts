/**
 * The findings of a run in a few bytes each. Findings of pages are recorded in page order, and those of the site in any
 * order. Beyond the limits findings are only counted.
 */

/** Maximum numbers of recorded findings: 4 bytes each, and about 100. */
const limits = { ofPages: 2_000_000, ofSite: 400_000 }
/** Maximum number of other URLs of a finding. */
export const maxRelated = 5

/** The counts of a rule: the number of pages with a finding, and the sum of its counts. */
export type Total = { pages: number; occurrences: number }

/** `related`: positions of other URLs. */
export type Finding = { rule: string; count: number | null; related: readonly number[] }

type OfSite = Finding & { page: number }

/** The lower bits of a recorded finding are its count plus one, or 0 without a count. */
const countBits = 22
const maxCount = 2 ** countBits - 1

export class FindingLog {
  readonly totals = new Map<string, Total>()
  /** Whether findings beyond the limits were only counted. */
  isCut = false
  readonly #limits: typeof limits
  readonly #rules: string[] = []
  readonly #numbers = new Map<string, number>()
  #packed = new Uint32Array(1024)
  #length = 0
  readonly #ends: number[] = []
  readonly #ofSite: OfSite[] = []
  #bySite: Map<number, OfSite[]> | null = null

  constructor(most = limits) {
    this.#limits = most
  }

  /** Records the findings of the next page. */
  addPage(findings: readonly (readonly [rule: string, count: number | null])[]): void {
    for (const [rule, count] of findings) {
      this.#count(rule, count)
      if (this.#length < this.#limits.ofPages) this.#push(rule, count)
      else this.isCut = true
    }
    this.#ends.push(this.#length)
  }

  addOfSite(finding: OfSite): void {
    this.#count(finding.rule, finding.count)
    if (this.#ofSite.length < this.#limits.ofSite)
      this.#ofSite.push({ ...finding, related: finding.related.slice(0, maxRelated) })
    else this.isCut = true
    this.#bySite = null
  }

  /** Returns the recorded findings of a page. */
  of(page: number): Finding[] {
    this.#bySite ??= Map.groupBy(this.#ofSite, ({ page }) => page)
    const found: Finding[] = []
    const end = this.#ends[page] ?? 0
    for (let at = this.#ends[page - 1] ?? 0; at < end; at++) {
      const packed = this.#packed[at] as number
      const count = packed & maxCount
      const rule = this.#rules[packed >>> countBits] as string
      found.push({ rule, count: count === 0 ? null : count - 1, related: [] })
    }
    return [...found, ...(this.#bySite.get(page) ?? [])]
  }

  #count(rule: string, count: number | null): void {
    const total = this.totals.get(rule) ?? { pages: 0, occurrences: 0 }
    total.pages += 1
    total.occurrences += count ?? 1
    this.totals.set(rule, total)
  }

  #push(rule: string, count: number | null): void {
    let number = this.#numbers.get(rule)
    if (number === undefined) {
      number = this.#rules.push(rule) - 1
      this.#numbers.set(rule, number)
    }
    if (this.#length === this.#packed.length) {
      const more = new Uint32Array(this.#length * 2)
      more.set(this.#packed)
      this.#packed = more
    }
    const kept = count === null ? 0 : Math.min(count + 1, maxCount)
    this.#packed[this.#length++] = number * 2 ** countBits + kept
  }
}
