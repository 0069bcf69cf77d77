/** `POST /v1/cloud/search`: searches the web and reads the pages of the results. */

import { CloudSearch, SearchRequest } from '@tidemark/contracts/http/cloud/search'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { disconnectSignal } from '../http/answers/disconnect-signal.ts'
import { sendMade } from '../http/answers/send-made.ts'
import type { AcquireSlot } from '../http/answers/slots-for.ts'
import { refusal } from '../http/domain/refusal.ts'
import { costFields } from '../reading/domain/page-fields.ts'
import { usd } from '../reading/domain/price-of.ts'
import type { CloudPorts } from './ports.ts'
import { readHits } from './read-hits.ts'

export function cloudSearchRoutes(app: App, ports: CloudPorts, acquireSlot: AcquireSlot): void {
  app.post(
    '/v1/cloud/search',
    {
      onRequest: acquireSlot,
      schema: {
        operationId: 'cloudSearch',
        summary: 'Search the web and read the results',
        description: `Uses the search engine that the installation configures. Pages are fetched as by scrape. ${priceText('cloud_search')}`,
        tags: ['Cloud'],
        body: SearchRequest,
        response: { 200: CloudSearch },
      },
    },
    async ({ body, caller, id: requestId, warnings: ignored }, reply) => {
      const start = performance.now()
      const operation = 'cloud_search'
      const { metering, cloud } = ports
      const { limit, return_format: format } = body
      const query = body.query.trim()
      if (query === '') throw refusal('query', 'bad_value', 'query must not be empty.')
      const { granted } = await metering.reserve(caller, { requestId, kind: 'cloud_page', units: limit })
      const found = await cloud.search({ query, limit: granted }).catch(error => {
        metering.failed(caller, { requestId, operation, what: query, error })
        throw error
      })
      const hits = found.hits.slice(0, granted)
      const disconnected = disconnectSignal(reply)
      const read = await readHits(ports, hits, { projectId: caller.projectId, format, gone: disconnected })
      // Without a client nothing is returned, so only the pages are billed that were read for it.
      const billed = disconnected.aborted ? hits.filter((_, index) => !read.missing.has(index)) : hits
      const costUsd = billed.length === 0 ? 0 : usd(found.costUsd + read.costUsd)
      const tried = billed.map(({ url }) => ({ what: url, ending: 'billed' as const }))
      await metering.served(caller, { requestId, operation, costUsd, tried })
      const capped = granted < limit ? [`the daily cap of cloud pages allowed ${granted} results`] : []
      const warnings = [...ignored, ...capped, ...read.warnings]
      const rest = costFields(costUsd, performance.now() - start, warnings)
      return sendMade(reply, read.results.json('results', rest))
    },
  )
}
