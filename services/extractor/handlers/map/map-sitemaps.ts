/**
 * Walks a site's sitemaps, each once and as deep as crawls do, until the limit of URLs is reached. Sitemaps that were
 * not read are reported. Only the first 10 MB of a sitemap are read: about 50,000 URLs, the maximum of the protocol.
 */

import type { FairLine } from '@tidemark/bus/fair-line'
import type { MapSitemap } from '@tidemark/contracts/http/map'
import type { Scope } from '@tidemark/contracts/run'
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import { FetchError } from '@tidemark/http/fetch-error'
import { datedSitemapSteps } from '@tidemark/sitemap/sitemap'
import { createLinkCache } from '@tidemark/url/link-cache'
import { createResolver } from '@tidemark/url/resolver'
import { inScope } from '@tidemark/url/scope'
import { siteOf } from '@tidemark/url/site'
import type { Fetched } from '../../adapters/fetch-now.ts'
import { inSteps } from '../../concurrency/in-steps.ts'
import { startOfSitemap } from '../sitemap-text.ts'
import type { Collected } from './map-collected.ts'
import type { Visits } from './map-visits.ts'

export type WalkOptions = {
  visits: Visits
  /** Line in which the sitemaps of all maps are decoded and read, one at a time. */
  line: FairLine
  scope: Scope
  collected: Collected
  /** Maximum number of collected URLs. */
  enough: number
}

export type Walked = {
  /** URLs in scope with their dates of change (empty if absent), in the order of the sitemaps. */
  dated: Map<string, string>
  sitemaps: MapSitemap[]
  /** Whether there are, or may be, more URLs. */
  isPartial: boolean
}

type Named = { url: string; depth: number }
/** One sitemap and its URLs so far. */
type Sitemap = Named & { report: MapSitemap; dated: Map<string, string> }

const atOnce = 2
const deepest = 5
const maxListed = 1_000
/** Maximum bytes of a sitemap: as sent, decoded, and unpacked. */
const maxBytes = 10 * 1024 ** 2
/** Characters of the URLs of one map. */
const maxCollected = 24 * 1024 ** 2
/** URLs resolved per step. */
const perStep = 500
/** From this length on V8 substrings reference the whole string. */
const minShared = 13

/** @param first URLs of sitemaps in normal form, including other sites */
export async function walkSitemaps(first: Iterable<string>, options: WalkOptions): Promise<Walked> {
  const walk = new Walk(options)
  for (const url of first) walk.name({ url, depth: 0 })
  await walk.end()
  return walk.result
}

class Walk {
  /** Sitemaps by URL, in order of discovery. */
  readonly #sitemaps = new Map<string, Sitemap>()
  readonly #waiting: Sitemap[] = []
  readonly #options: WalkOptions
  /** The distinct URLs of all sitemaps, up to the limit. Sitemaps may share URLs. */
  readonly #distinct = new Set<string>()
  #characters = 0
  #isPartial = false
  /** Whether no further URL may be collected, because the maps of the project, or all, have too many. */
  #isFull = false

  constructor(options: WalkOptions) {
    this.#options = options
  }

  /** Adds a sitemap, unless it is already listed. */
  name(named: Named): void {
    const { url } = named
    if (this.#sitemaps.has(url)) return
    if (this.#sitemaps.size >= maxListed || !this.#options.collected.add(url)) {
      this.#isPartial = true
      return
    }
    const report: MapSitemap = { url, status: null, urls: 0, sitemaps: 0, cut: null }
    const sitemap = { ...named, report, dated: new Map() }
    this.#sitemaps.set(url, sitemap)
    this.#waiting.push(sitemap)
  }

  /** Sitemaps complete in any order and are listed in order of discovery. */
  get result(): Walked {
    const all = [...this.#sitemaps.values()]
    const dated = new Map<string, string>()
    for (const sitemap of all) {
      for (const [url, date] of sitemap.dated) if (!dated.get(url)) dated.set(url, date)
    }
    return { dated, sitemaps: all.map(({ report }) => report), isPartial: this.#isPartial }
  }

  /** Resolves when all sitemaps are read or left out. */
  async end(): Promise<void> {
    const underWay = new Set<Promise<void>>()
    for (;;) {
      while (underWay.size < atOnce && this.#waiting.length > 0) {
        const reading = this.#readNext().finally(() => underWay.delete(reading))
        underWay.add(reading)
      }
      if (underWay.size === 0) return
      await Promise.race(underWay)
    }
  }

  async #readNext(): Promise<void> {
    const next = this.#waiting.shift()
    if (next === undefined) return
    const { url, report } = next
    const { visits, line, enough } = this.#options
    if (this.#isFull || this.#distinct.size >= enough || this.#characters >= maxCollected)
      return this.#leaveOut(report, 'the limit was reached before it')
    using answer = await visits.visit(url, { maxHops: maxFileRedirects, maxBytes })
    if (answer.is === 'left_out') return this.#leaveOut(report, answer.because)
    if (answer.is === 'failed') return this.#leaveOut(report, answer.reason)
    report.status = answer.status
    if (answer.status >= 500 || answer.status === 429) this.#isPartial = true
    if (answer.status < 200 || answer.status > 299) return
    try {
      await line.join(visits.owner, () => this.#read(answer, next))
    } catch (thrown) {
      this.#leaveOut(report, FetchError.from(thrown).code)
    }
  }

  async #read(answer: Fetched, sitemap: Sitemap): Promise<void> {
    if (this.#options.visits.isOver) return this.#leaveOut(sitemap.report, 'the time limit was reached')
    const { text, isWhole } = await startOfSitemap(answer, maxBytes)
    await inSteps(this.#take(answer.url, text, sitemap))
    if (!isWhole) this.#leaveOut(sitemap.report, 'the part after its first 10 MB')
  }

  *#take(from: string, text: string, { depth, report, dated }: Sitemap): Generator<void, void> {
    const { what, urls, dates, sitemaps, cut } = yield* datedSitemapSteps(text)
    Object.assign(report, { urls: urls.length, sitemaps: sitemaps.length })
    if (what === 'unknown') report.cut = 'it is not a sitemap'
    else if (cut !== null) this.#leaveOut(report, cut)
    // URLs of sitemaps occur once, so they must not evict the repeated URLs of pages from the shared cache.
    const resolve = createResolver(from, createLinkCache(1))
    const { scope, collected, enough } = this.#options
    for (const [n, href] of urls.entries()) {
      const url = resolve(href)
      if (url !== null && inScope(scope, url) && !dated.get(url)) {
        this.#characters += url.length
        if (!collected.add(url)) this.#isFull = true
        else {
          dated.set(url, copyOf(dates[n] ?? ''))
          if (this.#distinct.size < enough) this.#distinct.add(url)
        }
        if (this.#isFull || this.#characters > maxCollected)
          return this.#leaveOut(report, 'the rest, because the limit was reached')
      }
      if (n % perStep === perStep - 1) yield
    }
    if (sitemaps.length > maxListed) this.#isPartial = true
    const named = sitemaps.slice(0, maxListed).flatMap(href => resolve(href) ?? [])
    const children = named.filter(url => isOfSite(url, from))
    if (depth < deepest) for (const url of children) this.name({ url, depth: depth + 1 })
    else if (children.length > 0) this.#leaveOut(report, `sitemaps more than ${deepest} levels deep`)
  }

  #leaveOut(report: MapSitemap, because: string): void {
    report.cut = because
    this.#isPartial = true
  }
}

const isOfSite = (url: string, parent: string): boolean =>
  siteOf(new URL(url).hostname) === siteOf(new URL(parent).hostname)

const copyOf = (text: string): string => (text.length < minShared ? text : Buffer.from(text).toString())
