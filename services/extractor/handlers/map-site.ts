/**
 * Lists a site's addresses within seconds: robots.txt, the home page, and the sitemaps that are named there, or
 * `/sitemap.xml`. Everything is fetched by the fetcher, and what could not be had is told beside the list.
 * All maps together hold no more bodies than there is room for, and one sitemap at a time is decoded and read.
 */
import type { MapSite, MapSiteAnswer, RobotsAnswer } from '@tidemark/contracts/ask/map'
import { normalForm } from '@tidemark/url/normal-form'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { joinSteps, thatFit } from '../domain/map-join.ts'
import { searchSteps } from '../domain/map-search.ts'
import { createFairLine } from '../turns/fair-line.ts'
import { inSteps } from '../turns/in-steps.ts'
import { createRoom } from '../turns/room.ts'
import { refusalOf } from './fetch-refusal.ts'
import { type Home, homeless, readHome } from './map-home.ts'
import { readRobots, type SiteRobots } from './map-robots.ts'
import { type Walked, type WalkOptions, walkSitemaps } from './map-sitemaps.ts'
import { startVisits } from './map-visits.ts'
import type { ReadSiteFile } from './site-files.ts'

type Ports = {
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  robotsToken: string
  /** For everything together, in milliseconds. */
  timeoutMs: number
}

const mostFetches = 60
/** Of the bodies of all maps at once. */
const mostBytes = 64 * 1024 ** 2
/** With a search the best may come last. */
const mostSearched = 200_000
/** Of an answer; it has to fit into a message, packed. */
const mostCharacters = 8 * 1024 ** 2
const nothing: Walked = { dated: new Map(), sitemaps: [], isPartial: false }

/** The handler throws a `Refusal` for a site of which nothing could be had: 502, or 400 for an address inward. */
export function mapSite({ fetchPage, readSiteFile, robotsToken, timeoutMs }: Ports) {
  const [room, line] = [createRoom(mostBytes), createFairLine()]
  return async (question: MapSite): Promise<MapSiteAnswer> => {
    const { url, subdomains, userAgent, maxFetches = mostFetches } = question
    const visits = startVisits({ fetchPage, readSiteFile, room, timeoutMs, maxFetches, userAgent })
    const options = { token: robotsToken, respect: question.respectRobots, userAgent }
    const first = await readRobots(visits, new URL(url).origin, options)
    const forbidden = first.forbids(url)
    const home =
      forbidden === null
        ? await readHome(visits, url, { subdomains, robotsToken })
        : homeless(url, subdomains, { reason: 'robots', message: forbidden })
    if (home.failed?.reason === 'private_address') throw refusalOf(home.failed)
    const hasMoved = new URL(home.url).origin !== new URL(url).origin
    const robots = hasMoved ? await readRobots(visits, new URL(home.url).origin, options) : first
    const walked = question.sitemaps ? await walk({ visits, line }, question, home, [first, robots]) : nothing
    if (home.failed && home.failed.reason !== 'robots' && walked.dated.size === 0)
      throw refusalOf(home.failed)
    const answer = await answerOf(question, robots, home, walked)
    return question.withRobots ? { ...answer, robots: [first, robots].map(told) } : answer
  }
}

const told = ({ origin, status, body }: SiteRobots): RobotsAnswer => ({ origin, status, body })

/** A site whose robots.txt is broken is left alone altogether. */
function walk(
  ports: Pick<WalkOptions, 'visits' | 'line'>,
  { limit, search, sitemap }: MapSite,
  home: Home,
  robots: SiteRobots[],
): Promise<Walked> {
  const named = new Set(
    robots.flatMap(({ origin, sitemaps }) => sitemaps.flatMap(href => normalForm(href, origin) ?? [])),
  )
  if (robots.some(({ isClosed }) => isClosed)) return Promise.resolve({ ...nothing, isPartial: true })
  const usual = `${new URL(home.url).origin}/sitemap.xml`
  const enough = search === null ? limit : mostSearched
  return walkSitemaps(sitemap ? [sitemap] : named.size > 0 ? named : [usual], {
    ...ports,
    scope: home.scope,
    enough,
  })
}

async function answerOf(
  { limit, search }: MapSite,
  { origin, status }: SiteRobots,
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
    ...(status !== null && status >= 400 ? [`the home page answered ${status}`] : []),
    ...(isCut ? ['only the beginning of the home page was read: it is very long'] : []),
  ]
}
