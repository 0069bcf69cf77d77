/** `POST /v1/crawls/estimate`: predicts the effect of a crawl request. Nothing is started or stored. */
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { CrawlEstimate } from '@tidemark/contracts/http/estimate'
import { priceText } from '@tidemark/contracts/prices'
import type { MapSite } from '@tidemark/contracts/rpc/map'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { App } from '../app.ts'
import type { Judge, ReadMap } from '../live-pages/adapters/maps.ts'
import type { Forks } from './adapters/forks.ts'
import type { LastRun } from './adapters/last-run.ts'
import { estimateOf, followSameLinks } from './domain/estimate.ts'
import { applyFieldRules } from './domain/field-rules.ts'
import { settingsOf } from './domain/run-settings-of-request.ts'
import { judgePatterns } from './judge-patterns.ts'
import { judgeAddresses, type StartPorts } from './start-crawl.ts'

export type EstimatePorts = StartPorts &
  Pick<Forks, 'findSettings'> & {
    mapSite: ReadMap
    judgeUrls: Judge
    /** Returns the latest successful run of the URL, or null. */
    findLastRun: (projectId: number, url: string) => Promise<LastRun | null>
  }

const maxFetches = 20
const maxJudged = 20_000
const maxCharacters = 4 * 1024 ** 2

export function estimateRoutes(app: App, ports: EstimatePorts): void {
  app.post(
    '/v1/crawls/estimate',
    {
      schema: {
        operationId: 'estimateCrawl',
        summary: 'Estimate a crawl',
        tags: ['Crawls'],
        description: `Takes the body of \`POST /v1/crawls\` and predicts pages, duration and cost without starting a crawl. Sends at most 20 requests to the site, and stores nothing. ${priceText('estimate')}`,
        body: CrawlRequest,
        response: { 200: CrawlEstimate },
      },
    },
    async ({ body, caller, sentFields, warnings: ignored }) => {
      const { projectId, tier } = caller
      const { request, warnings: fieldWarnings } = applyFieldRules(body, {
        sentFields,
        tier,
        pools: ports.pools,
      })
      await judgePatterns(ports, request, projectId)
      if (request.cron !== undefined) await ports.monitors.check(scheduleOf(request.cron, request))
      const settings = settingsOf(request, ports.seal, await judgeAddresses(ports, request))
      const [map, { unread, ...last }] = await Promise.all([
        ports.mapSite({ projectId, ...requestOf(request, settings) }),
        readLastRun(ports, projectId, { url: request.url, settings }),
      ])
      const { robots = [], items, url, warnings: ofMap = [] } = map
      const found = items.filter(({ source }) => isFollowed(request, source)).map(item => item.url)
      const urls = thatFit(found)
      const judged = await ports.judgeUrls({ projectId, url, seed: request.url, settings, robots, urls })
      const count = urls.length + (settings.urls?.length ?? 0)
      const cut = judged.isCut ? [patternsTookLong(judged.judged, count)] : []
      const sizes = request.max_bytes === undefined ? [] : [sizesUnknown]
      const warnings = [
        ...ignored,
        ...fieldWarnings,
        ...ofMap,
        ...cut,
        ...sizes,
        ...unread,
        ...unsent(request),
      ]
      const truncated = map.truncated || judged.isCut === true || urls.length < found.length
      const estimate = estimateOf({ request, map: { ...map, truncated }, judged, ...last })
      return warnings.length > 0 ? { ...estimate, warnings } : estimate
    },
  )
}

/** Maximum time to read the settings of a long run. The site is read meanwhile, so this hardly delays a response. */
const settingsMs = 3_000

/**
 * Returns the latest successful run of the URL, and whether it followed the same URLs as these settings do. An estimate
 * is possible without it, so settings that cannot be read in time count as different, with a warning.
 */
async function readLastRun(
  { findLastRun, findSettings }: EstimatePorts,
  projectId: number,
  { url, settings }: { url: string; settings: RunSettings },
): Promise<{ lastRun: LastRun | null; followedSameLinks: boolean; unread: string[] }> {
  const lastRun = await findLastRun(projectId, url)
  if (lastRun?.stop_reason !== 'exhausted') return { lastRun, followedSameLinks: false, unread: [] }
  const unread: string[] = []
  const earlier = await findSettings(projectId, lastRun.id, settingsMs).catch(() => {
    unread.push(
      `the settings of crawl ${lastRun.id} could not be read in time, so the estimate does not use it`,
    )
    return null
  })
  return {
    lastRun,
    followedSameLinks: earlier !== null && followSameLinks(earlier.settings, settings),
    unread,
  }
}

const scheduleOf = (schedule: string, { timezone }: CrawlRequest) => ({
  schedule,
  ...(timezone !== undefined && { timezone }),
})

const ownFields = ['login', 'cookies', 'headers', 'proxy_url', 'proxy_pool'] as const

/** Returns a warning about fields that an estimate does not use in its requests to the site. */
function unsent(request: CrawlRequest): string[] {
  const own = ownFields.filter(field => request[field] !== undefined)
  return own.length === 0
    ? []
    : [`the site was read without ${own.join(', ')}: a crawl with them may find other pages`]
}

const sizesUnknown = 'max_bytes may end the crawl earlier: the estimate does not know the sizes of the pages'

const patternsTookLong = (judged: number, urls: number): string =>
  `include_paths and exclude_paths take long to search: only ${judged} of ${urls} URLs were judged, and a crawl may end before it has judged all (stop_reason pattern_time)`

/** Returns the first URLs that fit into one message. */
function thatFit(urls: string[]): string[] {
  let left = maxCharacters
  const end = urls.findIndex(url => {
    left -= url.length
    return left < 0
  })
  return end === -1 ? urls : urls.slice(0, end)
}

/** Returns whether the crawl would find the URL. A crawl that begins with a sitemap follows no links. */
const isFollowed = ({ seed_kind, follow_links }: CrawlRequest, source: 'sitemap' | 'link') =>
  seed_kind === 'sitemap' ? source === 'sitemap' : follow_links

/** The headers stay sealed: of a `User-Agent` among them, only the product token is used, and only for robots.txt. */
function requestOf(request: CrawlRequest, { userAgent, robotsToken }: RunSettings): MapSite {
  const { url, seed_kind, subdomains, respect_robots } = request
  const { href, origin, pathname, search } = new URL(url)
  const sitemaps = isFollowed(request, 'sitemap')
  const about = { limit: maxJudged, search: null, subdomains, sitemaps, respectRobots: respect_robots }
  const limits = { maxFetches, withRobots: true }
  const own = { ...(userAgent && { userAgent }), ...(robotsToken && { robotsToken }) }
  if (seed_kind === 'url') return { url: href, ...about, ...limits, ...own }
  const sitemap = pathname === '/' && search === '' ? `${origin}/sitemap.xml` : href
  return { url: `${origin}/`, sitemap, ...about, ...limits, ...own }
}
