/**
 * Lists a site's URLs within seconds: from robots.txt, the home page, and the sitemaps in robots.txt or
 * `/sitemap.xml`. The fetcher makes all requests, and failures are listed as warnings. The bodies of all maps share a
 * memory limit, and one sitemap at a time is decoded and read. Projects take turns.
 */

import { createFairLine } from '@tidemark/bus/fair-line'
import type { MapSite, MapSiteResponse, RobotsResponse } from '@tidemark/contracts/rpc/map'
import { normalForm } from '@tidemark/url/normal-form'
import { isOwnSite } from '@tidemark/url/scope'
import type { FetchPage } from '../../adapters/fetch-now.ts'
import { createFairBudget } from '../../concurrency/fair-budget.ts'
import { inSteps } from '../../concurrency/in-steps.ts'
import { createShares } from '../../concurrency/shares.ts'
import { joinSteps, thatFit } from '../../domain/map-join.ts'
import { searchSteps } from '../../domain/map-search.ts'
import { refusalOf } from '../fetch-refusal.ts'
import type { ReadSiteFile } from '../site-files.ts'
import { collectedBy } from './map-collected.ts'
import { type Home, homeless, readHome } from './map-home.ts'
import { readRobots, type SiteRobots } from './map-robots.ts'
import { type Walked, type WalkOptions, walkSitemaps } from './map-sitemaps.ts'
import { startVisits } from './map-visits.ts'

type Ports = {
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  robotsToken: string
  /** Time for all requests, in milliseconds. */
  timeoutMs: number
}

const defaultMaxFetches = 60
/** Memory limits of the bodies of all maps, and of the maps of a project: two sitemaps at once. */
const bodies = { all: 80 * 1024 ** 2, each: 20 * 1024 ** 2 }
/**
 * Memory limits of the collected URLs of all maps, and of the maps of a project. A map keeps its URLs while it collects
 * more.
 */
const urls = { all: 384 * 1024 ** 2, each: 48 * 1024 ** 2 }
/** A search needs all URLs, because the best may come last. */
const maxSearched = 200_000
/** Maximum size of a response, which must fit into a message when compressed. */
const maxCharacters = 8 * 1024 ** 2
const nothing: Walked = { dated: new Map(), sitemaps: [], isPartial: false }

/** The handler throws a `Refusal` for a site without any readable document: 502, or 400 for a private address. */
export function mapSite({ fetchPage, readSiteFile, robotsToken, timeoutMs }: Ports) {
  const [bodyBudget, shares, line] = [createFairBudget(bodies), createShares(urls), createFairLine()]
  const visiting = { fetchPage, readSiteFile, bodyBudget, timeoutMs }
  return async (request: MapSite): Promise<MapSiteResponse> => {
    const { url, subdomains, userAgent, projectId, maxFetches = defaultMaxFetches } = request
    const visits = startVisits({ ...visiting, maxFetches, userAgent, projectId })
    using collected = collectedBy(visits.owner, shares)
    const robotsOf = (origin: string) => {
      const own = isOwnSite(url, origin) ? request.robotsToken : undefined
      const named = { token: own ?? robotsToken, userAgent }
      return readRobots(visits, origin, { ...named, respect: request.respectRobots })
    }
    const first = await robotsOf(new URL(url).origin)
    const forbidden = first.forbids(url)
    const home =
      forbidden === null
        ? await readHome(visits, url, { subdomains, robotsToken })
        : homeless(url, subdomains, { reason: 'robots', message: forbidden })
    if (home.failed?.reason === 'private_address') throw refusalOf(home.failed)
    const hasMoved = new URL(home.url).origin !== new URL(url).origin
    const robots = hasMoved ? await robotsOf(new URL(home.url).origin) : first
    const walked = request.sitemaps
      ? await walk({ visits, line, collected }, request, home, [first, robots])
      : nothing
    if (home.failed && home.failed.reason !== 'robots' && walked.dated.size === 0)
      throw refusalOf(home.failed)
    const answer = await line.join(visits.owner, () => answerOf(request, robots, home, walked))
    return request.withRobots ? { ...answer, robots: [first, robots].map(robotsAnswerOf) } : answer
  }
}

const robotsAnswerOf = ({ origin, status, body }: SiteRobots): RobotsResponse => ({ origin, status, body })

/** Walks the sitemaps. If robots.txt is unreachable and therefore disallows the whole site, nothing is fetched. */
function walk(
  ports: Pick<WalkOptions, 'visits' | 'line' | 'collected'>,
  { limit, search, sitemap }: MapSite,
  home: Home,
  robots: SiteRobots[],
): Promise<Walked> {
  const named = new Set(
    robots.flatMap(({ origin, sitemaps }) => sitemaps.flatMap(href => normalForm(href, origin) ?? [])),
  )
  if (robots.some(({ isClosed }) => isClosed)) return Promise.resolve({ ...nothing, isPartial: true })
  const usual = `${new URL(home.url).origin}/sitemap.xml`
  const options = { ...ports, scope: home.scope, enough: search === null ? limit : maxSearched }
  return walkSitemaps(sitemap ? [sitemap] : named.size > 0 ? named : [usual], options)
}

async function answerOf(
  { limit, search }: MapSite,
  { origin, status }: SiteRobots,
  home: Home,
  { dated, sitemaps, isPartial }: Walked,
): Promise<MapSiteResponse> {
  const all = await inSteps(joinSteps(home.named, dated))
  const found = search === null ? all : await inSteps(searchSteps(all, search))
  const items = thatFit(found, limit, maxCharacters)
  const warnings = warningsOf(home)
  return {
    url: home.url,
    items,
    total: found.length,
    truncated: items.length < found.length || isPartial || home.isCut || home.failed !== null,
    sources: {
      robots: { url: `${origin}/robots.txt`, status, error: null },
      sitemaps,
      home_page: {
        url: home.url,
        status: home.status,
        links: home.links,
        error: home.failed?.reason ?? null,
      },
    },
    ...(warnings.length > 0 && { warnings }),
  }
}

function warningsOf({ failed, challenge, isCut, status }: Home): string[] {
  if (failed !== null) return [`the home page was not read: ${failed.message}`]
  if (challenge !== null) return [`the site showed a challenge (${challenge}) instead of its home page`]
  return [
    ...(status !== null && status >= 400 ? [`the home page has status ${status}`] : []),
    ...(isCut ? ['only the beginning of the home page was read: it is very long'] : []),
  ]
}
