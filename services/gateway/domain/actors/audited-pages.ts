/** What became of the pages of an audit, in the order in which they were listed. */
import type { PageProbed } from '@tidemark/contracts/ask/sitemaps'
import {
  buckets,
  type SitemapAudited,
  type SitemapAuditItem,
} from '@tidemark/contracts/http/actor-sitemap-audit'
import type { Ending } from '@tidemark/contracts/prices'
import type { ListedPage } from './sitemap-listing.ts'
import type { TextShare } from './text-room.ts'

type Summary = SitemapAudited['summary']

/** So often in a row without an answer, or without a turn to ask, and a host is asked no more. */
const mostInRow = 20
/** What says nothing of whether the host answers. */
const unasked: ReadonlySet<string> = new Set(['private_address', 'blocked_domain', 'bad_url'])

export class AuditedPages {
  readonly #items: SitemapAuditItem[] = []
  readonly #share: TextShare
  readonly #failures = new Map<string, number>()
  readonly #turnless = new Map<string, number>()
  readonly summary = Object.fromEntries(buckets.map(bucket => [bucket, 0])) as Summary
  count = 0
  challenges = 0
  /** Whether the answer has no room for more. */
  isFull = false

  constructor(share: TextShare) {
    this.#share = share
  }

  /** What was left out leaves no gap. */
  get items(): SitemapAuditItem[] {
    return this.#items.filter(() => true)
  }

  /** Hosts that are asked no more, as they do not answer. */
  get silent(): string[] {
    return tooOften(this.#failures)
  }

  /** Hosts that are asked no more, as no turn to ask them comes. */
  get withheld(): string[] {
    return tooOften(this.#turnless)
  }

  /** Whether a host is asked no more. */
  isLeftOut(host: string): boolean {
    return [this.#failures, this.#turnless].some(times => (times.get(host) ?? 0) >= mostInRow)
  }

  /** Counts what a host answered, also to what is not told. */
  note(host: string, { status, error, isUnasked }: PageProbed): void {
    if (error !== null && unasked.has(error)) return
    if (isUnasked) {
      countOne(this.#turnless, host)
      return
    }
    this.#turnless.delete(host)
    if (status === null) countOne(this.#failures, host)
    else this.#failures.delete(host)
  }

  /** How it ended, as far as its price goes. */
  put(page: ListedPage, probed: PageProbed): Ending {
    const item = itemOf(page, probed)
    this.#items[page.index] = item
    this.summary[item.bucket] += 1
    this.count += 1
    this.isFull ||= !this.#share.take(lengthOf(item))
    if (probed.challenge !== null) this.challenges += 1
    if (item.bucket === 'network_error') return 'failed'
    return probed.challenge === null ? 'billed' : 'blocked'
  }

  /** Takes back what was put: then it was never probed. */
  takeBack(pages: Iterable<ListedPage>): void {
    for (const { index } of pages) {
      const item = this.#items[index]
      if (item === undefined) continue
      delete this.#items[index]
      this.summary[item.bucket] -= 1
      this.count -= 1
      if (item.challenge !== null) this.challenges -= 1
    }
  }
}

const tooOften = (times: ReadonlyMap<string, number>): string[] =>
  [...times].filter(([, inRow]) => inRow >= mostInRow).map(([host]) => host)

function countOne(times: Map<string, number>, host: string): void {
  times.set(host, (times.get(host) ?? 0) + 1)
}

const itemOf = ({ url, lastmod, foundIn }: ListedPage, probed: PageProbed): SitemapAuditItem => ({
  url,
  status_code: probed.status,
  bucket: probed.bucket,
  canonical: probed.canonical,
  x_robots_tag: probed.robotsTag,
  meta_robots: probed.metaRobots,
  lastmod,
  error: probed.error,
  redirected_to: probed.redirectedTo,
  found_in: foundIn,
  challenge: probed.challenge,
})

/** Of what was not taken room for when it was listed. */
const lengthOf = ({ canonical, x_robots_tag, meta_robots, redirected_to, found_in }: SitemapAuditItem) =>
  [canonical, x_robots_tag, meta_robots, redirected_to, found_in].reduce(
    (sum, text) => sum + (text?.length ?? 0),
    0,
  )
