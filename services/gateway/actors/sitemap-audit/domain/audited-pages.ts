/** What became of the pages of an audit, in the order in which they were listed. */

import {
  buckets,
  type SitemapAudited,
  type SitemapAuditItem,
} from '@tidemark/contracts/http/actors/sitemap-audit'
import type { Ending } from '@tidemark/contracts/prices'
import type { PageProbed } from '@tidemark/contracts/rpc/sitemaps'
import type { JsonText } from '../../domain/json-text.ts'
import { PackedItems } from './packed-items.ts'
import type { ListedPage } from './sitemap-listing.ts'
import type { TextShare } from './text-room.ts'

type Summary = SitemapAudited['summary']

/** So often in a row without an answer, or without a turn to ask, and a host is asked no more. */
const maxInRow = 20
/** Of pages that must not be asked: nothing goes out, so nothing is known of their hosts. */
const refusals: ReadonlySet<string> = new Set(['private_address', 'blocked_domain', 'bad_url'])

export class AuditedPages {
  readonly #items = new PackedItems<SitemapAuditItem>()
  readonly #share: TextShare
  readonly #failures = new Map<string, number>()
  readonly #turnless = new Map<string, number>()
  readonly summary = Object.fromEntries(buckets.map(bucket => [bucket, 0])) as Summary
  /** Pages that were asked. */
  count = 0
  /** Pages that must not be asked. */
  refused = 0
  challenges = 0
  /** Whether the answer has no room for more. */
  isFull = false

  constructor(share: TextShare) {
    this.#share = share
  }

  /** As JSON; what was left out leaves no gap. */
  get items(): JsonText {
    return this.#items.json()
  }

  /** Hosts that are asked no more, as they do not answer. */
  get silent(): string[] {
    return tooOften(this.#failures)
  }

  /** Hosts that are asked no more, as no turn to ask them comes. */
  get withheld(): string[] {
    return tooOften(this.#turnless)
  }

  /** All hosts that are asked no more. */
  get leftOut(): ReadonlySet<string> {
    return new Set([...this.silent, ...this.withheld])
  }

  /** Whether a host is asked no more. */
  isLeftOut(host: string): boolean {
    return [this.#failures, this.#turnless].some(times => (times.get(host) ?? 0) >= maxInRow)
  }

  /** Counts what a host answered, also to what is not told. */
  note(host: string, { status, error, isUnasked }: PageProbed): void {
    if (isRefused(error)) return
    if (isUnasked) {
      countOne(this.#turnless, host)
      return
    }
    this.#turnless.delete(host)
    if (status === null) countOne(this.#failures, host)
    else this.#failures.delete(host)
  }

  /** How it ended, as far as its price goes; null for what must not be asked, which has none. */
  put(page: ListedPage, probed: PageProbed): Ending | null {
    const item = itemOf(page, probed)
    if (!this.#share.take(this.#items.put(page.index, item))) this.isFull = true
    this.#tally(item, 1)
    if (isRefused(item.error)) return null
    if (item.bucket === 'network_error') return 'failed'
    return item.challenge === null ? 'billed' : 'blocked'
  }

  /** Takes back what was put: then it was never probed. */
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
