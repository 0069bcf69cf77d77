/** `/v1/cloud/scrapers` and `/v1/cloud/fetch/…`: extract fields from pages of well-known sites. */
import {
  ScrapedData,
  ScraperDomain,
  ScraperList,
  ScraperOverrides,
  ScraperPage,
  ScraperPageNamed,
  ScraperQuery,
} from '@tidemark/contracts/http/cloud/fetch'
import { priceText } from '@tidemark/contracts/prices'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { App } from '../app.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import { costFields, tryView } from '../live-pages/domain/page-fields.ts'
import { billedTries, sumOf } from '../live-pages/domain/price-of.ts'
import { backendsTimeoutMs, newWork } from '../live-pages/read-one.ts'
import { reserveUnlessDisconnected } from '../metering/reserve-unless-disconnected.ts'
import { scraperPath } from './domain/scraper-path.ts'
import type { CloudPorts } from './ports.ts'

export function scraperRoutes(app: App, ports: CloudPorts): void {
  listScrapersRoute(app, ports)
  scrapeRoutes(app, ports)
}

function listScrapersRoute(app: App, ports: CloudPorts): void {
  app.get(
    '/v1/cloud/scrapers',
    {
      schema: {
        operationId: 'listScrapers',
        summary: 'List the available scrapers',
        description: 'Nothing is billed.',
        tags: ['Cloud'],
        querystring: ScraperQuery,
        response: { 200: ScraperList },
      },
    },
    async ({ query: { page, limit } }) => {
      const { scrapers, total } = await ports.cloud.listScrapers({ offset: (page - 1) * limit, limit })
      const listed = scrapers.map(({ domain, paths, dataShape }) => ({
        domain,
        paths,
        data_shape: dataShape,
      }))
      return { scrapers: listed, total }
    },
  )
}

const common = {
  tags: ['Cloud'],
  body: ScraperOverrides,
  response: { 200: ScrapedData },
}

function scrapeRoutes(app: App, ports: CloudPorts): void {
  app.post(
    '/v1/cloud/fetch/:domain',
    {
      schema: {
        ...common,
        operationId: 'cloudFetch',
        summary: "Read a site's first page into fields",
        description: `\`GET /v1/cloud/scrapers\` lists the fields of each site. ${priceText('cloud_fetch')}`,
        params: ScraperDomain,
      },
    },
    (request, reply) =>
      scrapeSite(ports, request, reply, { domain: request.params.domain, params: request.body.params }),
  )

  app.post(
    '/v1/cloud/fetch/:domain/*',
    {
      config: { swaggerTransform: asDocumented },
      schema: {
        ...common,
        operationId: 'cloudFetchPath',
        summary: 'Read a page of a site into fields',
        description: `The path may contain slashes. ${priceText('cloud_fetch')}`,
        params: ScraperPage,
      },
    },
    (request, reply) => {
      const { domain, '*': path } = request.params
      return scrapeSite(ports, request, reply, { domain, path, params: request.body.params })
    },
  )
}

type Scraping = { domain: string; path?: string; params: Record<string, unknown> | undefined }

async function scrapeSite(
  ports: CloudPorts,
  { caller, id: requestId, warnings: ignored }: Pick<FastifyRequest, 'caller' | 'id' | 'warnings'>,
  reply: FastifyReply,
  { domain, path, params = {} }: Scraping,
): Promise<ScrapedData> {
  const start = performance.now()
  const { metering, cloud, contents } = ports
  const { projectId } = caller
  const scraper = scraperPath(domain, path)
  const what = [scraper.domain, ...(scraper.path === null ? [] : [scraper.path])].join('/')
  const operation = 'cloud_fetch'
  const disconnected = disconnectSignal(reply)
  await reserveUnlessDisconnected(metering, caller, { requestId, kind: 'cloud_page', units: 1 }, disconnected)
  const { workId } = newWork(1)
  disconnected.addEventListener('abort', () => contents.drop(workId), { once: true })
  const site = await cloud
    .scrapeSite({ workId, projectId, ...scraper, params, timeoutMs: backendsTimeoutMs })
    .catch(error => {
      metering.failed(caller, { requestId, operation, what, error })
      throw error
    })
  const isBlocked = site.challenge !== null
  const { backend } = site
  const priced = { backend, pool: null, moved: null, tried: site.tried, content: site }
  const tries = billedTries(priced, ports.proxyPrices)
  const costUsd = sumOf(tries)
  const tried = [{ what, ending: isBlocked ? ('blocked' as const) : ('billed' as const) }]
  await metering.served(caller, { requestId, operation, costUsd, tried })
  const { data, url, status } = site
  return {
    data,
    status,
    url,
    backend,
    tried: tries.map(tryView),
    blocked: isBlocked,
    ...costFields(costUsd, performance.now() - start, [...ignored, ...site.warnings]),
  }
}

/** Returns the route for OpenAPI, whose paths have no wildcards. */
const asDocumented = ({ schema }: { schema: FastifySchema }) => ({
  schema: { ...schema, params: ScraperPageNamed },
  url: '/v1/cloud/fetch/:domain/:path',
})
