/** `POST /v1/crawls/estimate`: a crawl's request, and what it would do; nothing is started and nothing kept. */
import type { MapSite } from '@tidemark/contracts/ask/map'
import { CrawlRequest } from '@tidemark/contracts/http/crawls'
import { CrawlEstimate } from '@tidemark/contracts/http/estimate'
import type { LastRun } from '../adapters/last-run.ts'
import type { Judge } from '../adapters/maps.ts'
import type { App } from '../app.ts'
import { settingsOf } from '../domain/crawl-request.ts'
import { estimateOf } from '../domain/estimate.ts'
import { weigh } from '../domain/field-rules.ts'
import type { MapPorts } from './map.ts'
import { judgeAddresses, type StartPorts } from './start-crawl.ts'

export type EstimatePorts = StartPorts &
  MapPorts & {
    judgeUrls: Judge
    /** The latest run of the URL that was done. */
    findLastRun: (projectId: number, url: string) => Promise<LastRun | null>
  }

const mostFetches = 20
const mostJudged = 20_000
const mostCharacters = 4 * 1024 ** 2

export function estimateRoutes(app: App, ports: EstimatePorts): void {
  app.post(
    '/v1/crawls/estimate',
    {
      schema: {
        operationId: 'estimateCrawl',
        summary: 'Say what a crawl would fetch, take and cost, without starting it',
        tags: ['Crawls'],
        description:
          'Takes the body of `POST /v1/crawls`, asks the site at most 20 times, and keeps nothing. Nothing is billed.',
        body: CrawlRequest,
        response: { 200: CrawlEstimate },
      },
    },
    async ({ body, caller, given, warnings: ignored }) => {
      const { projectId, tier } = caller
      const { request, warnings: weighed } = weigh(body, { given, tier, pools: ports.pools })
      const settings = settingsOf(request, ports.seal, await judgeAddresses(ports, request))
      const [map, lastRun] = await Promise.all([
        ports.mapSite(questionOf(request)),
        ports.findLastRun(projectId, request.url),
      ])
      const { robots = [], items, url, warnings: noted = [] } = map
      const urls = thatFit(items.filter(({ source }) => isFollowed(request, source)).map(item => item.url))
      const judged = await ports.judgeUrls({ url, settings, robots, urls })
      const warnings = [...ignored, ...weighed, ...noted]
      const estimate = estimateOf({ request, map, judged, lastRun })
      return warnings.length > 0 ? { ...estimate, warnings } : estimate
    },
  )
}

/** As many as a question may hold; long addresses are rare. */
function thatFit(urls: string[]): string[] {
  let left = mostCharacters
  const end = urls.findIndex(url => {
    left -= url.length
    return left < 0
  })
  return end === -1 ? urls : urls.slice(0, end)
}

/** A crawl that begins with a sitemap follows no links. */
const isFollowed = ({ seed_kind }: CrawlRequest, source: 'sitemap' | 'link') =>
  seed_kind === 'url' || source === 'sitemap'

function questionOf({ url, seed_kind, subdomains, respect_robots, user_agent }: CrawlRequest): MapSite {
  const { href, origin, pathname, search } = new URL(url)
  const about = { limit: mostJudged, search: null, subdomains, sitemaps: true, respectRobots: respect_robots }
  const limits = { maxFetches: mostFetches, withRobots: true }
  const own = user_agent === undefined ? {} : { userAgent: user_agent }
  if (seed_kind === 'url') return { url: href, ...about, ...limits, ...own }
  const sitemap = pathname === '/' && search === '' ? `${origin}/sitemap.xml` : href
  return { url: `${origin}/`, sitemap, ...about, ...limits, ...own }
}
