/** The counts of one sitemap and a part of its entries, without duplicates. */
import type { SitemapEntry, SitemapRead } from '@tidemark/contracts/rpc/sitemaps'
import { datedSitemapSteps } from '@tidemark/sitemap/sitemap'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import { lastmodFault } from './lastmod.ts'

export type Part = {
  /** Maximum number of entries. */
  wanted: number
  /** Number of the first entry, from 0. */
  from: number
  /** Milliseconds since 1970. */
  now: number
}

export type Listed = Omit<SitemapRead, 'url' | 'status' | 'error' | 'message'> & {
  /** The part that was not read, in words. */
  cut: string | null
}

/** Characters of the entries of one part: compressed, they fit into a message. */
const maxCharacters = 8 * 1024 ** 2
const maxSitemaps = 1_000
/** Characters of URLs per step, as written and as resolved. */
const perStep = 40_000

/** Works in steps of a few milliseconds. @param from URL of the sitemap */
export function* listedSteps(text: string, from: string, part: Part): Generator<void, Listed> {
  const { what, urls, dates, sitemaps, extras, cut } = yield* datedSitemapSteps(text)
  const entries = new Entries(from, part)
  let left = perStep
  for (const [n, href] of urls.entries()) {
    entries.add(href, dates[n])
    left -= href.length + from.length
    if (left > 0) continue
    left = perStep
    yield
  }
  const named = new Set(sitemaps.slice(0, maxSitemaps).flatMap(href => normalForm(href, from) ?? []))
  const isSitemap = what !== 'unknown'
  return { isSitemap, cut, urls: urls.length, ...extras, ...entries.result, sitemaps: [...named] }
}

class Entries {
  readonly #from: string
  readonly #host: string
  readonly #part: Part
  /** URL keys, because below a long base URL a few bytes of a sitemap expand to thousands. */
  readonly #seen = new Set<string>()
  readonly #taken: SitemapEntry[] = []
  readonly #lastmod = { future: 0, unreadable: 0 }
  readonly #counts = { unusable: 0, foreign: 0, repeated: 0 }
  #characters = 0
  #isFull = false

  constructor(from: string, part: Part) {
    this.#from = from
    this.#host = new URL(from).host
    this.#part = part
  }

  get result() {
    const { wanted, from } = this.#part
    return {
      entries: this.#taken,
      next: this.#isFull && wanted > 0 ? from + this.#taken.length : null,
      ...this.#counts,
      lastmod: this.#lastmod,
    }
  }

  add(href: string, date: string | undefined): void {
    const fault = date === undefined ? null : lastmodFault(date, this.#part.now)
    if (fault !== null) this.#lastmod[fault] += 1
    const url = URL.parse(href, this.#from)
    const normal = url === null ? null : normalForm(url.href)
    if (url === null || normal === null) {
      this.#counts.unusable += 1
      return
    }
    if (url.host !== this.#host) this.#counts.foreign += 1
    const key = urlKey(normal)
    if (this.#seen.has(key)) {
      this.#counts.repeated += 1
      return
    }
    this.#seen.add(key)
    if (this.#seen.size > this.#part.from) this.#take(url, normal, date ?? null)
  }

  #take(url: URL, normal: string, date: string | null): void {
    url.hash = ''
    const { href } = url
    this.#characters += href.length + (href === normal ? 0 : normal.length) + (date?.length ?? 4)
    const hasCapacity = this.#taken.length < this.#part.wanted && this.#characters <= maxCharacters
    this.#isFull ||= !hasCapacity
    if (!this.#isFull) this.#taken.push(href === normal ? [href, date] : [href, date, normal])
  }
}
