/**
 * Counts the URLs of a run by its events, with the same result as the run itself. A URL is discovered when it is
 * judged, and has one state at a time. Only URLs whose state may still change are stored by key.
 */
import type { ProgressEvent } from '@tidemark/contracts/http/events'
import type { RunEvent, RunEventData } from '@tidemark/contracts/run'
import { listedUrls } from '@tidemark/url/listed'

type Name = RunEvent['type']
type Keyed = { key: string }

export class RunCounts {
  readonly #pending = new Set<string>()
  readonly #deferred = new Set<string>()
  /** Failed URLs in the order of their failures. They may be retried. */
  #failedKeys: string[] = []
  readonly #sitemaps = new Set<string>()
  #listed: string[] = []
  #fetched = 0
  #failed = 0
  #other = 0

  apply(event: RunEvent): void {
    const change = changes[event.type] as ((counts: RunCounts, data: unknown) => void) | undefined
    change?.(this, event.data)
  }

  get progress(): ProgressEvent {
    const settled = this.#fetched + this.#failed + this.#other
    return {
      page_count: this.#fetched,
      error_count: this.#failed,
      pending: this.#pending.size,
      discovered: settled + this.#pending.size + this.#deferred.size,
    }
  }

  /** Keeps the URLs that the client lists. They are pending from the start of the run. */
  list(keys: Iterable<string>): void {
    this.#listed = [...keys]
  }

  start(): void {
    for (const key of this.#listed) this.#pending.add(key)
    this.#listed = []
  }

  admit({ key }: Keyed): void {
    this.#deferred.delete(key)
    this.#pending.add(key)
  }

  defer({ key }: Keyed): void {
    this.#pending.delete(key)
    this.#deferred.add(key)
  }

  settle({ key }: Keyed, as: 'fetched' | 'failed' | 'other'): void {
    this.#pending.delete(key)
    this.#deferred.delete(key)
    if (as === 'fetched') this.#fetched++
    else if (as === 'failed') {
      this.#failed++
      this.#failedKeys.push(key)
    } else this.#other++
  }

  noteSitemap({ key }: Keyed): void {
    this.#sitemaps.add(key)
  }

  /**
   * Makes the first failed URLs pending again. URLs that were pending at the end become deferred, because they are
   * beyond the limit that ended the run.
   */
  reopen(retried: number): void {
    for (const key of this.#pending) this.#deferred.add(key)
    this.#pending.clear()
    for (const key of this.#failedKeys.splice(0, retried))
      if (!this.#sitemaps.has(key)) this.#pending.add(key)
    this.#failed -= retried
  }
}

const settling =
  (as: 'fetched' | 'failed' | 'other') =>
  (counts: RunCounts, { pages }: { pages: readonly Keyed[] }): void => {
    for (const page of pages) counts.settle(page, as)
  }

const changes: { [N in Name]?: (counts: RunCounts, data: RunEventData<N>) => void } = {
  RunQueued: (counts, { url, settings }) => counts.list(listedUrls(url, settings?.urls).keys()),
  RunStarted: counts => counts.start(),
  PagesAdmitted: (counts, { pages }) => {
    for (const page of pages) counts.admit(page)
  },
  PagesDeferred: (counts, { pages }) => {
    for (const page of pages) counts.defer(page)
  },
  SitemapOrdered: (counts, sitemap) => counts.noteSitemap(sitemap),
  RunReopened: (counts, { retried }) => counts.reopen(retried),
  PagesSettled: settling('fetched'),
  PagesFailed: settling('failed'),
  PagesSkipped: settling('other'),
  PagesFiltered: settling('other'),
  PagesPruned: settling('other'),
  PagesDuplicated: settling('other'),
}
