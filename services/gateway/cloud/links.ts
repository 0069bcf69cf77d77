/** `POST /v1/cloud/links`: lists the links of one page. */
import { CloudLinks, LinksRequest } from '@tidemark/contracts/http/cloud/links'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { costFields, pageFields, pageWarnings } from '../live-pages/domain/page-fields.ts'
import { linkTargetsOf } from './domain/links-of.ts'
import { wantedWithLinks } from './domain/return-format.ts'
import { fetchAndBillPage } from './get-billed.ts'
import type { CloudPorts } from './ports.ts'

export function cloudLinkRoutes(app: App, ports: CloudPorts): void {
  app.post(
    '/v1/cloud/links',
    {
      schema: {
        operationId: 'cloudLinks',
        summary: 'List the links of one page',
        description: `Lists the links on this page, not the links to it. ${priceText('cloud_links')}`,
        tags: ['Cloud'],
        body: LinksRequest,
        response: { 200: CloudLinks },
      },
    },
    async (request, reply) => {
      const { body, warnings } = request
      const means = { is: 'auto', from: 'http', country: null } as const
      const options = { url: body.url, means, wanted: wantedWithLinks(null) }
      const billed = await fetchAndBillPage(ports, { request, reply, operation: 'cloud_links' }, options)
      const { got, costUsd, elapsedMs } = billed
      const { pool: _pool, country: _country, ...fields } = pageFields(got)
      const links = linkTargetsOf(got.content.anchors)
      return {
        links: links.slice(0, body.limit),
        total: links.length,
        ...fields,
        ...costFields(costUsd, elapsedMs, [...warnings, ...pageWarnings(got)]),
      }
    },
  )
}
