/**
 * A simulated web site: a graph of pages that a seed determines, with redirects, errors, pages that fail for a while,
 * slow hosts, and hosts that die and come back.
 */
import type { Random } from '../random.ts'

export type Answer =
  | { type: 'page'; status: number; links: readonly string[]; blocked: boolean; ms: number }
  | { type: 'redirect'; to: string; ms: number }
  | { type: 'failed'; reason: string; transient: boolean; ms: number }

type Page = {
  status: number
  links: string[]
  blocked: boolean
  redirect: string | null
  /** Number of requests that fail before the first response. */
  fails: number
  /** Number of responses with a server error before the page. */
  errors: number
}

type Outage = { from: number; to: number }

export class Site {
  /** The seed of runs at this site. */
  readonly url: string
  readonly #hosts: string[]
  readonly #pages = new Map<string, Page>()
  readonly #outages: Outage[]
  readonly #latencyMs: number
  readonly #robots: { status: number; body: string } | null
  readonly #requests = new Map<string, number>()

  constructor(random: Random, name: string, now: number) {
    this.#hosts = [`https://${name}.example`, `https://docs.${name}.example`]
    this.url = `${this.#hosts[0]}/`
    const paths = Array.from({ length: random.between(1, 24) }, (_, n) => (n === 0 ? '/' : `/p${n}`))
    const urls = this.#hosts.flatMap((host, n) =>
      paths.slice(0, n === 0 ? undefined : 4).map(path => host + path),
    )
    for (const url of urls) this.#pages.set(url, pageOf(random, urls, url === this.url))
    this.#latencyMs = random.pick([5, 40, 40, 400])
    const count = random.pick([0, 0, 1, 3])
    this.#outages = Array.from({ length: count }, () => {
      const from = now + random.between(0, 60_000)
      return { from, to: from + random.between(500, 30_000) }
    })
    this.#robots = random.pick([
      null,
      null,
      { status: 200, body: rulesOf(random) },
      { status: 503, body: '' },
    ])
  }

  /** Returns the response of a host at this time. */
  get(url: string, now: number): Answer {
    const count = (this.#requests.get(url) ?? 0) + 1
    this.#requests.set(url, count)
    const ms = this.#latencyMs + (count % 7) * 3
    if (this.#outages.some(({ from, to }) => now >= from && now < to))
      return { type: 'failed', reason: 'connection_refused', transient: true, ms }
    const page = this.#pages.get(url)
    const missing = { type: 'page', status: 404, links: [], blocked: false, ms } as const
    if (page === undefined) return missing
    if (count <= page.fails) return { type: 'failed', reason: 'timeout', transient: true, ms: 10 * ms }
    if (page.redirect !== null) return { type: 'redirect', to: page.redirect, ms }
    const { links, blocked } = page
    if (count <= page.fails + page.errors) return { ...missing, status: 503 }
    return { type: 'page', status: page.status, links, blocked, ms }
  }

  /** Returns the robots.txt of a host, or null if it does not answer. */
  robots(now: number): { status: number; body: string } | null {
    const isOut = this.#outages.some(({ from, to }) => now >= from && now < to)
    return isOut ? null : (this.#robots ?? { status: 404, body: '' })
  }

  has(url: string): boolean {
    return this.#hosts.includes(new URL(url).origin)
  }

  /** The links of a page, as far as it exists. */
  linksOf(url: string): readonly string[] {
    return this.#pages.get(url)?.links ?? []
  }
}

function pageOf(random: Random, urls: readonly string[], isSeed: boolean): Page {
  const links = Array.from({ length: random.between(isSeed ? 1 : 0, 7) }, () => random.pick(urls))
  const isPlain = isSeed ? random.chance(0.9) : random.chance(0.75)
  return {
    status: isPlain ? 200 : random.pick([200, 404, 500]),
    links: [...new Set(links)],
    blocked: !isPlain && random.chance(0.15),
    redirect: !isPlain && random.chance(0.3) ? random.pick(urls) : null,
    fails: random.chance(0.1) ? random.between(1, 4) : 0,
    errors: random.chance(0.06) ? 1 : 0,
  }
}

const rulesOf = (random: Random): string =>
  `User-agent: *\nDisallow: /p${random.between(1, 9)}\n${random.chance(0.3) ? 'Crawl-delay: 1\n' : ''}`
