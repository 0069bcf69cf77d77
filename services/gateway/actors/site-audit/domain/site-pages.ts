/** The pages of a run as columns of numbers: about 200 bytes a page, and 8 bytes for each alternate. */
import { maxAlternates as maxOfPage, type SiteFacts } from '@tidemark/contracts/rpc/site-audit'
import { numberOfKey } from '@tidemark/url/key'

export type NewPage = {
  id: number
  key: string
  /** 0 if a challenge replaced the page, so that its status is unknown. */
  status: number
  /** Null if the page was not audited, or is not HTML. */
  facts: SiteFacts | null
  /** Whether the rules of pages were applied. If not, missing findings prove nothing. */
  isAudited: boolean
}

/** Statuses with which a site may reject only the crawler: the page may work for visitors. */
const rejections: readonly number[] = [401, 403, 407, 429, 451]

/** Maximum number of alternates of all pages. Others are not compared. */
const maxAlternates = 4_000_000

const columns = [
  'words',
  'title',
  'titleLike',
  'description',
  'descriptionLike',
  'text',
  'canonical',
] as const
export type FactColumn = (typeof columns)[number]

export class SitePages {
  readonly ids: number[] = []
  readonly keys: string[] = []
  readonly statuses: number[] = []
  readonly audited: boolean[] = []
  /** `numberOfKey` of each page. */
  readonly numbers: number[] = []
  /** -1: without facts, 0: noindex, 1: indexed. */
  readonly indexed: number[] = []
  /** Both halves of each simhash, one after the other. */
  readonly simhashes: number[] = []
  /** The URL to which each page forwards by a meta refresh, for those that do. */
  readonly refreshes = new Map<number, number>()
  /** Whether some alternates exceeded the maximum. */
  isCut = false
  readonly #columns = Object.fromEntries(columns.map(name => [name, [] as number[]])) as Record<
    FactColumn,
    number[]
  >
  readonly #alternates: number[] = []
  readonly #ends: number[] = []
  /** Whether each page may have more alternates than are stored. */
  readonly #cutLists: boolean[] = []

  get length(): number {
    return this.ids.length
  }

  add({ id, key, status, facts, isAudited }: NewPage): void {
    if (facts?.refresh !== undefined) this.refreshes.set(this.length, facts.refresh)
    this.ids.push(id)
    this.keys.push(key)
    this.statuses.push(status)
    this.audited.push(isAudited)
    this.numbers.push(numberOfKey(key))
    this.indexed.push(facts === null ? -1 : Number(facts.isIndexed))
    for (const name of columns) this.#columns[name].push(facts?.[name] ?? 0)
    this.simhashes.push(...(facts?.simhash ?? [0, 0]))
    const alternates = facts?.alternates ?? []
    const fit = alternates.slice(0, maxAlternates - this.#alternates.length)
    if (fit.length < alternates.length) this.isCut = true
    this.#cutLists.push(fit.length < alternates.length || alternates.length === maxOfPage)
    this.#alternates.push(...fit.sort((a, b) => a - b))
    this.#ends.push(this.#alternates.length)
  }

  column(name: FactColumn): readonly number[] {
    return this.#columns[name]
  }

  /** Whether the page has a 2xx status. */
  isFound(page: number): boolean {
    const status = this.statuses[page] as number
    return status >= 200 && status < 300
  }

  /** Whether the position is that of a page with an error (4xx, 5xx), other than a rejection of the crawler. */
  isBroken(position: number): boolean {
    const status = this.statuses[position] ?? 0
    return status >= 400 && status < 600 && !rejections.includes(status)
  }

  /** Whether the page has a 2xx status and facts. */
  isRead(page: number): boolean {
    return this.isFound(page) && (this.indexed[page] as number) >= 0
  }

  /** Whether a search engine may show the page: it is read, indexed, and no other URL is its canonical. */
  isShown(page: number): boolean {
    const canonical = this.#columns.canonical[page] as number
    const isCanonical = canonical === 0 || canonical === this.numbers[page]
    return isCanonical && this.indexed[page] === 1 && this.isRead(page)
  }

  /** The URLs of the alternates of a page. */
  alternatesOf(page: number): readonly number[] {
    return this.#alternates.slice(this.#ends[page - 1] ?? 0, this.#ends[page])
  }

  /** Whether a page may have more alternates than are stored. */
  isListCut(page: number): boolean {
    return this.#cutLists[page] as boolean
  }

  /** Whether a URL is among the alternates of a page, or may be among those that were left out. */
  hasAlternate(page: number, url: number): boolean {
    if (this.isListCut(page)) return true
    let [low, high] = [this.#ends[page - 1] ?? 0, this.#ends[page] as number]
    const end = high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#alternates[middle] as number) < url) low = middle + 1
      else high = middle
    }
    return low < end && this.#alternates[low] === url
  }
}
