/** `POST /v1/cloud/proxy-fetch`: fetches one page through a proxy of the installation. */
import { ProxyFetched, ProxyFetchRequest } from '@tidemark/contracts/http/cloud/proxy-fetch'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { costFields, pageFields, pageWarnings } from '../live-pages/domain/page-fields.ts'
import { offeredProxy } from '../live-pages/domain/proxy-offer.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import { textIn, wantedIn } from './domain/return-format.ts'
import { fetchAndBillPage } from './get-billed.ts'
import type { CloudPorts } from './ports.ts'

export function proxyFetchRoutes(app: App, ports: CloudPorts): void {
  app.post(
    '/v1/cloud/proxy-fetch',
    {
      schema: {
        operationId: 'cloudProxyFetch',
        summary: 'Fetch a page through a proxy',
        description: `Returns the page as served, and runs no scripts. ${priceText('cloud_proxy_fetch')} \`cost_usd\` adds the price of the bytes transferred.`,
        tags: ['Cloud'],
        body: ProxyFetchRequest,
        response: { 200: ProxyFetched },
      },
    },
    async (request, reply) => {
      const { body, warnings } = request
      const { url, pool } = body
      await judgeSeed(ports, url) // an invalid URL is reported before an unavailable pool
      const country = offeredProxy(await ports.cloud.state(), pool, body.country, {
        pool: 'pool',
        country: 'country',
      })
      const options = { url, means: { is: 'proxy', pool, country } as const, wanted: wantedIn('raw') }
      const billed = await fetchAndBillPage(
        ports,
        { request, reply, operation: 'cloud_proxy_fetch' },
        options,
      )
      const { got, costUsd, elapsedMs } = billed
      return {
        content: textIn('raw', got.content),
        ...pageFields(got),
        bytes_transferred: got.moved,
        pool: got.pool ?? pool,
        country: got.country ?? country,
        ...costFields(costUsd, elapsedMs, [...warnings, ...pageWarnings(got)]),
      }
    },
  )
}
