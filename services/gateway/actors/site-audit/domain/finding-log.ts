/**
 * The findings of a run in a few bytes each. Findings of pages are recorded in page order, and those of the site in any
 * order. Beyond the limits findings are only counted.
 */

/** Maximum numbers of recorded findings: 4 and 36 bytes each. */
const limits = { ofPages: 2_000_000, ofSite: 1_000_000 }
/** Maximum number of other URLs of a finding. */
export const maxRelated = 5

/** The counts of a rule: the number of pages with a finding, and the sum of its counts. */
export type Total = { pages: number; occurrences: number }

/** `related`: positions of other URLs. */
export type Finding = { rule: string; count: number | null; related: readonly number[] }

/** The lower bits of a finding of a page are its count plus one, or 0 without a count. The upper bits are its rule. */
const countBits = 22
const maxCount = 2 ** countBits - 1

/** Numbers of a finding of the site: page, rule, count, and the related URLs. */
const width = 3 + maxRelated
const none = -1

export class FindingLog {
  readonly totals = new Map<string, Total>()
  /** Whether findings beyond the limits were only counted. */
  isCut = false
  /** Number of pages before the first page that has a finding which was only counted. */
  #completePages = Number.POSITIVE_INFINITY
  /** Rules of the site with findings that are not recorded. */
  readonly #partialRules = new Set<string>()
  readonly #limits: typeof limits
  readonly #rules: string[] = []
  readonly #numbers = new Map<string, number>()
  #packed = new Int32Array(1024)
  #length = 0
  readonly #ends: number[] = []
  #ofSite = new Int32Array(1024 * width)
  #siteLength = 0
  /** Positions of the findings of the site, by page, and the end of each page. */
  #byPage: { order: Uint32Array; ends: Uint32Array } | null = null

  constructor(max = limits) {
    this.#limits = max
  }

  /** Records the findings of the next page. */
  addPage(findings: readonly (readonly [rule: string, count: number | null])[]): void {
    for (const [rule, count] of findings) {
      this.#count(rule, count)
      if (this.#length === this.#limits.ofPages) {
        this.isCut = true
        this.#completePages = Math.min(this.#completePages, this.#ends.length)
        continue
      }
      if (this.#length === this.#packed.length) this.#packed = grown(this.#packed)
      const kept = count === null ? 0 : Math.min(count + 1, maxCount)
      this.#packed[this.#length++] = (this.#numberOf(rule) << countBits) | kept
    }
    this.#ends.push(this.#length)
  }

  addOfSite({ page, rule, count, related }: Finding & { page: number }): void {
    this.#count(rule, count)
    if (this.#siteLength === this.#limits.ofSite * width) {
      this.isCut = true
      this.#partialRules.add(rule)
      return
    }
    if (this.#siteLength === this.#ofSite.length) this.#ofSite = grown(this.#ofSite)
    const numbers = [page, this.#numberOf(rule), count ?? none]
    for (let n = 0; n < maxRelated; n++) numbers.push(related[n] ?? none)
    this.#ofSite.set(numbers, this.#siteLength)
    this.#siteLength += width
    this.#byPage = null
  }

  /** Call it for a rule of the site that cannot find everything. */
  markPartial(rule: string): void {
    this.#partialRules.add(rule)
  }

  /** Returns the recorded findings of a page. */
  of(page: number): Finding[] {
    const found: Finding[] = []
    for (let at = this.#ends[page - 1] ?? 0; at < (this.#ends[page] ?? 0); at++) {
      const packed = this.#packed[at] as number
      const count = packed & maxCount
      const rule = this.#rules[packed >>> countBits] as string
      found.push({ rule, count: count === 0 ? null : count - 1, related: [] })
    }
    for (const at of this.#ofSiteAt(page)) {
      const [, rule = 0, count = none, ...related] = this.#ofSite.subarray(at, at + width)
      found.push({
        rule: this.#rules[rule] as string,
        count: count === none ? null : count,
        related: related.filter(position => position !== none),
      })
    }
    return found
  }

  /** Whether a finding of this rule on this page would be recorded. */
  hasAll(page: number, rule: string): boolean {
    return page < this.#completePages && !this.#partialRules.has(rule)
  }

  /** Yields the rules of the recorded findings of a page. */
  *rulesOf(page: number): Generator<string> {
    for (let at = this.#ends[page - 1] ?? 0; at < (this.#ends[page] ?? 0); at++)
      yield this.#rules[(this.#packed[at] as number) >>> countBits] as string
    for (const at of this.#ofSiteAt(page)) yield this.#rules[this.#ofSite[at + 1] as number] as string
  }

  #ofSiteAt(page: number): Uint32Array {
    this.#byPage ??= this.#ordered()
    const { order, ends } = this.#byPage
    return order.subarray(ends[page - 1] ?? 0, ends[page] ?? 0)
  }

  /** Sorts the findings of the site by counting those of each page. */
  #ordered(): { order: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(this.#ends.length)
    for (let at = 0; at < this.#siteLength; at += width) add(ends, this.#ofSite[at] as number, 1)
    for (let page = 1; page < ends.length; page++) add(ends, page, ends[page - 1] as number)
    const next = new Uint32Array(ends.length)
    for (let page = 1; page < ends.length; page++) next[page] = ends[page - 1] as number
    const order = new Uint32Array(this.#siteLength / width)
    for (let at = 0; at < this.#siteLength; at += width) {
      const page = this.#ofSite[at] as number
      order[next[page] as number] = at
      add(next, page, 1)
    }
    return { order, ends }
  }

  #count(rule: string, count: number | null): void {
    const total = this.totals.get(rule) ?? { pages: 0, occurrences: 0 }
    total.pages += 1
    total.occurrences += count ?? 1
    this.totals.set(rule, total)
  }

  #numberOf(rule: string): number {
    const known = this.#numbers.get(rule)
    if (known !== undefined) return known
    const number = this.#rules.push(rule) - 1
    this.#numbers.set(rule, number)
    return number
  }
}

function add(counts: Uint32Array, at: number, more: number): void {
  counts[at] = (counts[at] as number) + more
}

function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2)
  more.set(numbers)
  return more
}
