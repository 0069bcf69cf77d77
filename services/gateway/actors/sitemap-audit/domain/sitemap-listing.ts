/** Collects the contents of a site's sitemaps, one by one: counts of all entries, and the pages to probe. */

import type { SitemapReport } from '@tidemark/contracts/http/actors/sitemap-audit'
import type { SitemapEntry, SitemapRead } from '@tidemark/contracts/rpc/sitemaps'
import type { TextShare } from '../../../http/domain/text-budget.ts'

export type ListedPage = { index: number; url: string; lastmod: string | null; foundIn: string }

export class SitemapListing {
  readonly reports: SitemapReport[] = []
  /** Each page once, from its first entry. */
  readonly pages: ListedPage[] = []
  /** Addresses of the readable sitemaps. */
  readonly found: string[] = []
  readonly lastmod = { future: 0, unreadable: 0 }
  readonly #maxUrls: number
  readonly #share: TextShare
  readonly #seen = new Set<string>()
  readonly #named = new Set<string>()
  foreign = 0
  unusable = 0
  /** Number of repeated entries. Repetitions within a sitemap all count; across sitemaps only those of entries that were read. */
  duplicates = 0
  /** Why the sitemaps of robots.txt are unknown; null if they are known. */
  withoutRobots: string | null = null
  /** Number of named sitemaps that were not requested, or not read completely because the time was over. */
  unread = 0
  /** Whether wanted pages exceeded the memory limit. */
  isCut = false

  /** @param maxUrls maximum number of pages to collect */
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

  /** Number of pages to request. It includes known ones, because the next entries may repeat them. */
  get wanted(): number {
    return this.isFull ? 0 : this.#maxUrls
  }

  /** Returns whether this sitemap is named for the first time, and records its name. */
  name(url: string): boolean {
    if (this.#named.has(url)) return false
    this.#named.add(url)
    return true
  }

  /** Adds the report of a sitemap, from its first part. */
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

  /** Adds a sitemap that is not read. */
  leaveOut(url: string, error: string, message: string): void {
    const none = { urls: 0, repeated: 0, images: 0, videos: 0, alternates: 0, sitemaps: 0, unusable: 0 }
    this.reports.push({ url, status: null, ...none, error, message })
  }

  /** Adds the pages of a sitemap, up to the limits. */
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
