/** `POST /v1/cloud/scrape` and `/v1/cloud/unblock`: fetch one page by the cheapest backend that succeeds. */
import { CloudPage } from '@tidemark/contracts/http/cloud/page'
import { ScrapeRequest } from '@tidemark/contracts/http/cloud/scrape'
import { UnblockRequest } from '@tidemark/contracts/http/cloud/unblock'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { unprocessable } from '../http/responses/unprocessable.ts'
import { costFields, pageFields, pageWarnings } from '../live-pages/domain/page-fields.ts'
import { offeredCountry } from '../live-pages/domain/proxy-offer.ts'
import { textIn, wantedIn } from './domain/return-format.ts'
import { scrapeMeans } from './domain/scrape-means.ts'
import { type Billed, fetchAndBillPage } from './get-billed.ts'
import type { CloudPorts } from './ports.ts'

export function scrapeRoutes(app: App, ports: CloudPorts): void {
  app.post(
    '/v1/cloud/scrape',
    {
      schema: {
        operationId: 'cloudScrape',
        summary: 'Fetch a page with automatic fallback',
        description: `Tries plain HTTP, then a client with the TLS fingerprint of a browser, a browser, proxies and a vendor, as far as they are configured, until one returns the page. \`force_backend\` selects a single one. ${priceText('cloud_scrape')}`,
        tags: ['Cloud'],
        body: ScrapeRequest,
        response: { 200: CloudPage },
      },
    },
    async (request, reply) => {
      const { body, warnings: ignored } = request
      const warnings = [...ignored]
      const state = body.force_backend === 'proxy' ? await ports.cloud.state() : null
      const means = scrapeMeans(body, state, warning => warnings.push(warning))
      const { url, actions } = body
      const options = { url, means, wanted: wantedIn(body.return_format), ...(actions && { actions }) }
      const billed = await fetchAndBillPage(ports, { request, reply, operation: 'cloud_scrape' }, options)
      return cloudPage(billed, body.return_format, warnings)
    },
  )

  app.post(
    '/v1/cloud/unblock',
    {
      schema: {
        operationId: 'cloudUnblock',
        summary: 'Fetch a page behind bot protection',
        description: `Works like scrape, but skips plain HTTP. ${priceText('cloud_unblock')}`,
        tags: ['Cloud'],
        body: UnblockRequest,
        response: { 200: CloudPage },
      },
      errorHandler: unprocessable,
    },
    async (request, reply) => {
      const { url, return_format, country } = request.body
      const offered = country === undefined ? null : offeredCountry(await ports.cloud.state(), country)
      const means = { is: 'auto', from: 'faithful', country: offered } as const
      const options = { url, means, wanted: wantedIn(return_format) }
      const billed = await fetchAndBillPage(ports, { request, reply, operation: 'cloud_unblock' }, options)
      return cloudPage(billed, return_format, request.warnings)
    },
  )
}

/** Returns the page as text in this format. */
export const cloudPage = (
  { got, costUsd, elapsedMs }: Billed,
  format: Parameters<typeof textIn>[0],
  warnings: readonly string[],
): CloudPage => ({
  content: textIn(format, got.content),
  ...pageFields(got),
  ...costFields(costUsd, elapsedMs, [...warnings, ...pageWarnings(got)]),
})
