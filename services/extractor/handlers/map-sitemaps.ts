/**
 * Walks a site's sitemaps, each once and indexes as deep as crawls do, until there is enough. What one lists is taken
 * as it comes; what was not read is told.
 */
import type { MapSitemap } from '@tidemark/contracts/http/map'
import type { Scope } from '@tidemark/contracts/run'
import { FetchError } from '@tidemark/http/fetch-error'
import { datedSitemapSteps } from '@tidemark/sitemap/sitemap'
import { createMemory } from '@tidemark/url/memory'
import { createResolver } from '@tidemark/url/resolver'
import { inScope } from '@tidemark/url/scope'
import { siteOf } from '@tidemark/url/site'
import type { Fetched } from '../adapters/fetch-now.ts'
import { inSteps } from './in-steps.ts'
import type { Visit } from './map-visits.ts'
import { sitemapTextSteps } from './read-sitemap.ts'

type Options = {
  visit: Visit
  scope: Scope
  /** Addresses that are worth collecting. */
  enough: number
}

export type Walked = {
  /** Addresses in scope by when they were changed (empty where that is not said), in the order of the sitemaps. */
  dated: Map<string, string>
  sitemaps: MapSitemap[]
  /** Whether there are, or may be, more than these. */
  isPartial: boolean
}

type Named = { url: string; depth: number }
/** One sitemap, and what it has listed so far. */
type Sitemap = Named & { report: MapSitemap; dated: Map<string, string> }

const atOnce = 4
const deepest = 5
const mostListed = 1_000
const maxHops = 5
const mostFetched = 50 * 1024 ** 2
/** Addresses that are resolved at a time. */
const perStep = 500
/** From this length on a part of a string is a window on the whole. */
const leastShared = 13

/** @param first addresses of sitemaps in normal form; those of other sites too */
export async function walkSitemaps(first: Iterable<string>, options: Options): Promise<Walked> {
  const walk = new Walk(options)
  for (const url of first) walk.name({ url, depth: 0 })
  await walk.end()
  return walk.result
}

class Walk {
  /** By address, in the order in which they were named. */
  readonly #sitemaps = new Map<string, Sitemap>()
  readonly #waiting: Sitemap[] = []
  readonly #options: Options
  #count = 0
  #isPartial = false

  constructor(options: Options) {
    this.#options = options
  }

  /** A sitemap to be read, unless it was named before. */
  name(named: Named): void {
    const { url } = named
    if (this.#sitemaps.has(url)) return
    if (this.#sitemaps.size >= mostListed) {
      this.#isPartial = true
      return
    }
    const report: MapSitemap = { url, status: null, urls: 0, sitemaps: 0, cut: null }
    const sitemap = { ...named, report, dated: new Map() }
    this.#sitemaps.set(url, sitemap)
    this.#waiting.push(sitemap)
  }

  /** Sitemaps come home in any order, and stand in the one in which they were named. */
  get result(): Walked {
    const all = [...this.#sitemaps.values()]
    const dated = new Map<string, string>()
    for (const sitemap of all) {
      for (const [url, date] of sitemap.dated) if (!dated.get(url)) dated.set(url, date)
    }
    return { dated, sitemaps: all.map(({ report }) => report), isPartial: this.#isPartial }
  }

  /** Resolves when all that was named is read or left out. */
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
    if (this.#count >= this.#options.enough) return this.#leaveOut(report, 'there was enough before it')
    const answer = await this.#options.visit(url, { maxHops, maxBytes: mostFetched })
    if (answer.is === 'left_out') return this.#leaveOut(report, answer.because)
    if (answer.is === 'failed') return this.#leaveOut(report, answer.reason)
    report.status = answer.status
    if (answer.status >= 500 || answer.status === 429) this.#isPartial = true
    if (answer.status < 200 || answer.status > 299) return
    try {
      await inSteps(this.#take(answer, next))
    } catch (thrown) {
      this.#leaveOut(report, FetchError.from(thrown).code)
    }
  }

  *#take(answer: Fetched, { depth, report, dated }: Sitemap): Generator<void, void> {
    const text = yield* sitemapTextSteps(answer, answer.body)
    const { what, urls, dates, sitemaps, cut } = yield* datedSitemapSteps(text)
    Object.assign(report, { urls: urls.length, sitemaps: sitemaps.length })
    if (what === 'unknown') report.cut = 'it is no sitemap'
    else if (cut !== null) this.#leaveOut(report, cut)
    // What a sitemap lists is met once: it must not push what pages repeat out of the memory of all.
    const resolve = createResolver(answer.url, createMemory(1))
    const { scope } = this.#options
    for (const [n, href] of urls.entries()) {
      const url = resolve(href)
      if (url !== null && inScope(scope, url) && !dated.get(url)) dated.set(url, copyOf(dates[n] ?? ''))
      if (n % perStep === perStep - 1) yield
    }
    this.#count += dated.size
    const children = sitemaps.flatMap(href => resolve(href) ?? []).filter(url => isOfSite(url, answer.url))
    if (depth < deepest) for (const url of children) this.name({ url, depth: depth + 1 })
    else if (children.length > 0) this.#leaveOut(report, `sitemaps more than ${deepest} deep`)
  }

  #leaveOut(report: MapSitemap, because: string): void {
    report.cut = because
    this.#isPartial = true
  }
}

const isOfSite = (url: string, parent: string): boolean =>
  siteOf(new URL(url).hostname) === siteOf(new URL(parent).hostname)

const copyOf = (text: string): string => (text.length < leastShared ? text : Buffer.from(text).toString())
