/** Translates a client's request into the URL to fetch, or into an error. */
import { nearest } from './nearest.ts'
import { type Fault, readParams } from './params.ts'
import { fillPath, matchPath } from './path-pattern.ts'
import type { Inputs, Route, Scraper } from './scraper.ts'

/** Scrapers by their domain. */
export type Scrapers = ReadonlyMap<string, Scraper>

type ScraperRequest = { domain: string; path: string | null; params: Record<string, unknown> }

export type Order = { scraper: Scraper; url: string; inputs: Inputs; warnings: string[] }

const maxEchoLength = 100

/** Returns the request of a scraper. Its URL is always below the scraper's origin. */
export function orderOf(scrapers: Scrapers, { domain, path, params }: ScraperRequest): Order | Fault {
  const scraper = scrapers.get(domain.toLowerCase())
  if (scraper === undefined) return unknownDomain(domain, [...scrapers.keys()])
  const wanted = path || scraper.first || ''
  for (const route of scraper.routes) {
    const values = matchPath(route.path, scraper.names, wanted)
    const url = values && fillPath(scraper.origin, route.fetch, values)
    if (url) return withParams(scraper, route, url, values, params)
  }
  return unknownPath(scraper, wanted)
}

function withParams(
  scraper: Scraper,
  route: Route,
  url: URL,
  values: Record<string, string>,
  params: Record<string, unknown>,
): Order | Fault {
  const read = readParams(route, params)
  if ('reason' in read) return read
  for (const [name, value] of Object.entries(route.query ?? {})) url.searchParams.set(name, value)
  for (const [name, value] of read.query) url.searchParams.set(name, value)
  return { scraper, url: url.href, inputs: { ...values, ...read.inputs }, warnings: read.warnings }
}

function unknownDomain(domain: string, known: string[]): Fault {
  const near = nearest(domain, known)
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Supported domains: ${known.join(', ')}.`
  const message = `There is no scraper for "${echo(domain)}". ${hint}`
  return { field: 'domain', reason: 'bad_value', message }
}

function unknownPath({ domain, routes }: Scraper, path: string): Fault {
  const patterns = routes.map(({ path }) => path).join(', ')
  const message = `The scraper for ${domain} does not support the path "${echo(path)}". It supports ${patterns}.`
  return { field: 'path', reason: 'bad_value', message }
}

const echo = (text: string): string => text.slice(0, maxEchoLength).toWellFormed()
