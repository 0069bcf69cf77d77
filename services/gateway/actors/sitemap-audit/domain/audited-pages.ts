/** The results of the pages of an audit, in the order of the listing. */

import {
  buckets,
  type SitemapAudited,
  type SitemapAuditItem,
} from '@tidemark/contracts/http/actors/sitemap-audit'
import type { Ending } from '@tidemark/contracts/prices'
import type { PageProbed } from '@tidemark/contracts/rpc/sitemaps'
import type { TextShare } from '../../../http/domain/text-budget.ts'
import type { JsonText } from '../../domain/json-text.ts'
import { PackedItems } from './packed-items.ts'
import type { ListedPage } from './sitemap-listing.ts'

type Summary = SitemapAudited['summary']

/** Number of consecutive requests without an answer, or without a host slot, after which a host is skipped. */
const maxInRow = 20
/**
 * Errors of pages that were not requested, because they must not be requested or a service of ours failed. They do not
 * count as failures of their hosts.
 */
const refusals: ReadonlySet<string> = new Set(['private_address', 'blocked_domain', 'bad_url', 'internal'])

export class AuditedPages {
  readonly #items = new PackedItems<SitemapAuditItem>()
  readonly #share: TextShare
  readonly #failures = new Map<string, number>()
  readonly #withoutSlot = new Map<string, number>()
  readonly summary = Object.fromEntries(buckets.map(bucket => [bucket, 0])) as Summary
  /** Number of requested pages. */
  count = 0
  /** Number of pages that were not requested. */
  refused = 0
  challenges = 0
  /** Whether the answer has reached its maximum size. */
  isFull = false

  constructor(share: TextShare) {
    this.#share = share
  }

  /** The items as JSON; omitted ones leave no gap. */
  get items(): JsonText {
    return this.#items.json()
  }

  /** Hosts that are skipped because they do not answer. */
  get silent(): string[] {
    return tooOften(this.#failures)
  }

  /** Hosts that are skipped because no host slot becomes free. */
  get withheld(): string[] {
    return tooOften(this.#withoutSlot)
  }

  /** All skipped hosts. */
  get leftOut(): ReadonlySet<string> {
    return new Set([...this.silent, ...this.withheld])
  }

  /** Returns whether a host is skipped. */
  isLeftOut(host: string): boolean {
    return [this.#failures, this.#withoutSlot].some(times => (times.get(host) ?? 0) >= maxInRow)
  }

  /** Counts the answer of a host, even if the page is not part of the result. */
  note(host: string, { status, error, isUnasked }: PageProbed): void {
    if (isRefused(error)) return
    if (isUnasked) {
      countOne(this.#withoutSlot, host)
      return
    }
    this.#withoutSlot.delete(host)
    if (status === null) countOne(this.#failures, host)
    else this.#failures.delete(host)
  }

  /** Returns how the page ended, for its price. Returns null for pages that were not requested: they have no price. */
  put(page: ListedPage, probed: PageProbed): Ending | null {
    const item = itemOf(page, probed)
    if (!this.#share.take(this.#items.put(page.index, item))) this.isFull = true
    this.#tally(item, 1)
    if (isRefused(item.error)) return null
    if (item.bucket === 'network_error') return 'failed'
    return item.challenge === null ? 'billed' : 'blocked'
  }

  /** Removes pages from the items and the summary. The size that they used of the response is not released. */
  takeBack(pages: Iterable<ListedPage>): void {
    for (const { index } of pages) {
      const item = this.#items.take(index)
      if (item !== null) this.#tally(item, -1)
    }
  }

  #tally({ bucket, error, challenge }: SitemapAuditItem, by: 1 | -1): void {
    this.summary[bucket] += by
    if (isRefused(error)) this.refused += by
    else this.count += by
    if (challenge !== null) this.challenges += by
  }
}

const isRefused = (error: string | null): boolean => error !== null && refusals.has(error)

const tooOften = (times: ReadonlyMap<string, number>): string[] =>
  [...times].filter(([, inRow]) => inRow >= maxInRow).map(([host]) => host)

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
