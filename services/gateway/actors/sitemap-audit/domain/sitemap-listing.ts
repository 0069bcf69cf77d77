/** All that a site's sitemaps list, gathered sitemap by sitemap: counts of everything, and the pages to be probed. */

import type { SitemapReport } from '@tidemark/contracts/http/actors/sitemap-audit'
import type { SitemapEntry, SitemapRead } from '@tidemark/contracts/rpc/sitemaps'
import type { TextShare } from './text-room.ts'

export type ListedPage = { index: number; url: string; lastmod: string | null; foundIn: string }

export class SitemapListing {
  readonly reports: SitemapReport[] = []
  /** Each once, as it was listed first. */
  readonly pages: ListedPage[] = []
  /** Addresses of those that could be read. */
  readonly found: string[] = []
  readonly lastmod = { future: 0, unreadable: 0 }
  readonly #maxUrls: number
  readonly #share: TextShare
  readonly #seen = new Set<string>()
  readonly #named = new Set<string>()
  foreign = 0
  unusable = 0
  /** Entries that are no news: of one sitemap all of them, over several those that were taken from each. */
  duplicates = 0
  /** Why the sitemaps that robots.txt names are not known; null where they are. */
  withoutRobots: string | null = null
  /** Sitemaps that were named and not even asked for, or not read to their end for want of time. */
  unread = 0
  /** Whether pages that are wanted found no room. */
  isCut = false

  /** @param maxUrls pages that are wanted */
  constructor(maxUrls: number, share: TextShare) {
    this.#maxUrls = maxUrls
    this.#share = share
  }

  get urls(): number {
    return this.reports.reduce((sum, { urls }) => sum + urls, 0)
  }

  get isFull(): boolean {
    return this.isCut || this.pages.length >= this.#maxUrls
  }

  /** Pages that are still wanted; more may be asked for, as some of those that come may be known. */
  get wanted(): number {
    return this.isFull ? 0 : this.#maxUrls
  }

  /** Whether this sitemap is named for the first time. */
  name(url: string): boolean {
    if (this.#named.has(url)) return false
    this.#named.add(url)
    return true
  }

  /** What the sitemap says, from the first part of it. */
  take(named: string, read: SitemapRead): SitemapReport {
    const { url, status, urls, repeated, images, videos, alternates, unusable, sitemaps, error, message } =
      read
    const report = {
      url: named,
      ...(url !== named && { final_url: url }),
      status,
      urls,
      repeated,
      images,
      videos,
      alternates,
      sitemaps: sitemaps.length,
      unusable,
      error,
      message,
    }
    this.reports.push(report)
    if (read.isSitemap) this.found.push(named)
    this.foreign += read.foreign
    this.unusable += unusable
    this.duplicates += repeated
    this.lastmod.future += read.lastmod.future
    this.lastmod.unreadable += read.lastmod.unreadable
    return report
  }

  /** One that is not read. */
  leaveOut(url: string, error: string, message: string): void {
    const none = { urls: 0, repeated: 0, images: 0, videos: 0, alternates: 0, sitemaps: 0, unusable: 0 }
    this.reports.push({ url, status: null, ...none, error, message })
  }

  /** Pages of a sitemap, as far as they are wanted. */
  add(foundIn: string, entries: readonly SitemapEntry[]): void {
    for (const entry of entries) {
      if (this.isFull) return
      const [url, lastmod, normal = url] = entry
      if (this.#seen.has(normal)) this.duplicates += 1
      else if (this.#share.take(lengthOf(entry))) {
        this.#seen.add(normal)
        this.pages.push({ index: this.pages.length, url, lastmod, foundIn })
      } else this.isCut = true
    }
  }
}

const lengthOf = (entry: SitemapEntry): number => entry.reduce((sum, text) => sum + (text?.length ?? 0), 0)
