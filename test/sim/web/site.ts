/**
 * A simulated web site: a graph of pages that a seed determines, with redirects, errors, pages that fail for a while,
 * throttling, slow hosts, and hosts that die and come back.
 */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Random } from '../random.ts'

export type Answer =
  | { type: 'response'; status: number; headers: Readonly<Record<string, string>>; body: Buffer; ms: number }
  | { type: 'refused'; ms: number }
  /** No response, however long the client waits. */
  | { type: 'silent' }

type Page = {
  status: number
  links: string[]
  blocked: boolean
  redirect: string | null
  /** Number of requests that fail before the first response. */
  fails: number
  /** Number of responses with a server error before the page. */
  errors: number
  /** Number of responses before the page that request a pause, and its seconds. */
  throttles: number
  pauseSeconds: number
}

type Outage = { from: number; to: number }

const nothing = Buffer.alloc(0)

export class Site {
  /** The seed of runs at this site. */
  readonly url: string
  readonly #hosts: string[]
  readonly #pages = new Map<string, Page>()
  readonly #outages: Outage[]
  readonly #latencyMs: number
  readonly #robots: { status: number; body: string } | null
  readonly #requests = new Map<string, number>()
  readonly #bodies = new Map<string, { body: Buffer; headers: Record<string, string> }>()

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

  /** Returns the response of a host to a request that it receives at this time. */
  get(url: string, now: number): Answer {
    const count = (this.#requests.get(url) ?? 0) + 1
    this.#requests.set(url, count)
    const ms = this.#latencyMs + (count % 7) * 3
    if (this.isOut(now)) return { type: 'refused', ms }
    if (url.endsWith('/robots.txt')) return this.#robotsAt(ms)
    const page = this.#pages.get(url)
    if (page === undefined) return plain(404, ms)
    const { fails, errors, throttles, redirect, pauseSeconds } = page
    if (count <= fails) return { type: 'silent' }
    if (count <= fails + throttles) return plain(429, ms, { 'retry-after': String(pauseSeconds) })
    if (redirect !== null) return plain(302, ms, { location: redirect })
    if (count <= fails + throttles + errors) return plain(503, ms)
    return this.#document(url, page, ms)
  }

  /** Returns whether all its hosts refuse connections. */
  isOut(now: number): boolean {
    return this.#outages.some(({ from, to }) => now >= from && now < to)
  }

  /** Milliseconds to open a connection. */
  get connectMs(): number {
    return this.#latencyMs
  }

  has(url: string): boolean {
    return this.#hosts.includes(new URL(url).origin)
  }

  /** The links of a page, as far as it exists. */
  linksOf(url: string): readonly string[] {
    return this.#pages.get(url)?.links ?? []
  }

  #robotsAt(ms: number): Answer {
    const { status, body } = this.#robots ?? { status: 404, body: '' }
    return { ...plain(status, ms, { 'content-type': 'text/plain' }), body: Buffer.from(body) }
  }

  #document(url: string, { status, links, blocked }: Page, ms: number): Answer {
    const known = this.#bodies.get(url)
    const { body, headers } = known ?? bodyOf(url, status === 200 && !blocked ? links : [])
    if (known === undefined) this.#bodies.set(url, { body, headers })
    const type = { 'content-type': 'text/html; charset=utf-8' }
    if (blocked) return { ...plain(403, ms, { ...type, 'cf-mitigated': 'challenge' }), body }
    return { type: 'response', status, headers: { ...type, ...headers }, body, ms }
  }
}

const plain = (status: number, ms: number, headers: Record<string, string> = {}) => ({
  ...{ type: 'response' as const, status, headers, body: nothing, ms },
})

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
    throttles: random.chance(0.12) ? random.between(1, 2) : 0,
    pauseSeconds: random.between(1, 12),
  }
}

const rulesOf = (random: Random): string =>
  `User-agent: *\nDisallow: /p${random.between(1, 9)}\n${random.chance(0.3) ? 'Crawl-delay: 1\n' : ''}`

/** Returns a document with these links and a text of its own. */
function bodyOf(url: string, links: readonly string[]): { body: Buffer; headers: Record<string, string> } {
  const digest = hash('sha256', url)
  const number = Number.parseInt(digest.slice(0, 6), 16)
  // Most pages are small, and a few exceed the usual bytes of an order.
  const isLarge = number % 13 === 0
  const bytes = isLarge ? 300_000 + (number % 1_000) : 100 + (number % 2_000)
  const words = digest.match(/.{8}/g)?.join(' ') ?? ''
  const anchors = links.map((link, n) => `<a href="${link}">${digest.slice(n, n + 6)}</a>`).join('')
  const document = `<!doctype html><title>${url}</title><p>${words}</p>${anchors}<!---->`
  const body = Buffer.from(document.replace('<!---->', `<!--${'-x'.repeat(bytes >> 1)}-->`))
  // Half of the large bodies are compressed, so that only their decoded bytes are too many.
  if (!isLarge || number % 2 === 0) return { body, headers: {} }
  return { body: gzipSync(body, { level: 1 }), headers: { 'content-encoding': 'gzip' } }
}
