/**
 * Lists a site's addresses within seconds: robots.txt, the home page, and the sitemaps that are named there, or
 * `/sitemap.xml`. Everything is fetched by the fetcher, and what could not be had is told beside the list.
 */
import type { MapSite, MapSiteAnswer, RobotsAnswer } from '@tidemark/contracts/ask/map'
import { normalForm } from '@tidemark/url/normal-form'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { joinSteps, thatFit } from '../domain/map-join.ts'
import { searchSteps } from '../domain/map-search.ts'
import { refusalOf } from './fetch-refusal.ts'
import { inSteps } from './in-steps.ts'
import { type Home, homeless, readHome } from './map-home.ts'
import { readRobots, type SiteRobots } from './map-robots.ts'
import { type Walked, walkSitemaps } from './map-sitemaps.ts'
import { startVisits, type Visit } from './map-visits.ts'

type Ports = {
  fetchPage: FetchPage
  robotsToken: string
  /** For everything together, in milliseconds. */
  timeoutMs: number
}

const mostFetches = 60
/** Characters of a robots.txt; RFC 9309, 2.5 asks for as many. */
const mostRobots = 500 * 1024
/** With a search the best may come last. */
const mostSearched = 200_000
/** Of an answer; it has to fit into a message, packed. */
const mostCharacters = 8 * 1024 ** 2
const nothing: Walked = { dated: new Map(), sitemaps: [], isPartial: false }

/** The handler throws a `Refusal` for a site of which nothing could be had: 502, or 400 for an address inward. */
export function mapSite({ fetchPage, robotsToken, timeoutMs }: Ports) {
  return async (question: MapSite): Promise<MapSiteAnswer> => {
    const { url, subdomains, userAgent, maxFetches = mostFetches } = question
    const visit = startVisits({ fetchPage, timeoutMs, maxFetches, userAgent })
    const options = { token: robotsToken, respect: question.respectRobots, userAgent }
    const first = await robotsOf(visit, url, options)
    const forbidden = first.forbids(url)
    const home =
      forbidden === null
        ? await readHome(visit, url, subdomains)
        : homeless(url, subdomains, { reason: 'robots', message: forbidden })
    if (home.failed?.reason === 'private_address') throw refusalOf(home.failed)
    const hasMoved = new URL(home.url).origin !== new URL(url).origin
    const robots = hasMoved ? await robotsOf(visit, home.url, options) : first
    const walked = question.sitemaps ? await walk(visit, question, home, [first, robots]) : nothing
    if (home.failed && home.failed.reason !== 'robots' && walked.dated.size === 0)
      throw refusalOf(home.failed)
    const answer = await answerOf(question, robots, home, walked)
    return question.withRobots ? { ...answer, robots: [first, robots].flatMap(told) } : answer
  }
}

async function robotsOf(
  visit: Visit,
  url: string,
  options: Parameters<typeof readRobots>[2],
): Promise<SiteRobots> {
  const robots = await readRobots(visit, new URL(url).origin, options)
  if ('failed' in robots) throw refusalOf(robots.failed)
  return robots
}

const told = ({ url, status, body }: SiteRobots): RobotsAnswer[] =>
  status === null ? [] : [{ origin: new URL(url).origin, status, body: body.slice(0, mostRobots) }]

/** A site whose robots.txt is broken is left alone altogether. */
function walk(
  visit: Visit,
  { limit, search, sitemap }: MapSite,
  home: Home,
  robots: SiteRobots[],
): Promise<Walked> {
  const usual = `${new URL(home.url).origin}/sitemap.xml`
  const named = new Set(
    robots.flatMap(({ url, sitemaps }) => sitemaps.flatMap(href => normalForm(href, url) ?? [])),
  )
  const isClosed = robots.some(
    ({ status, forbids }) => status !== null && (status >= 500 || status === 429) && forbids(usual) !== null,
  )
  if (isClosed) return Promise.resolve({ ...nothing, isPartial: true })
  const enough = search === null ? limit : mostSearched
  return walkSitemaps(sitemap ? [sitemap] : named.size > 0 ? named : [usual], {
    visit,
    scope: home.scope,
    enough,
  })
}

async function answerOf(
  { limit, search }: MapSite,
  { url, status, error }: SiteRobots,
  home: Home,
  { dated, sitemaps, isPartial }: Walked,
): Promise<MapSiteAnswer> {
  const all = await inSteps(joinSteps(home.named, dated))
  const found = search === null ? all : await inSteps(searchSteps(all, search))
  const items = thatFit(found, limit, mostCharacters)
  const warnings = warningsOf(home)
  return {
    url: home.url,
    items,
    total: found.length,
    truncated: items.length < found.length || isPartial || home.failed !== null,
    sources: {
      robots: { url, status, error },
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

function warningsOf({ failed, challenge, status }: Home): string[] {
  if (failed !== null) return [`the home page was not read: ${failed.message}`]
  if (challenge !== null) return [`the site showed a challenge (${challenge}) instead of its home page`]
  return status !== null && status >= 400 ? [`the home page answered ${status}`] : []
}
