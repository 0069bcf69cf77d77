/** `POST /v1/cloud/search`: a search of the web, and the pages that it finds. */
import { CloudSearch, SearchRequest } from '@tidemark/contracts/http/cloud-search'
import type { App } from '../../app.ts'
import { spentTold } from '../../domain/cloud/page-told.ts'
import { usd } from '../../domain/cloud/price-of.ts'
import { refusal } from '../../domain/field-rule.ts'
import { goneOf } from '../gone-of.ts'
import type { TakeSeat } from '../seats.ts'
import { sendMade } from '../send-made.ts'
import type { CloudPorts } from './ports.ts'
import { readHits } from './read-hits.ts'

export function cloudSearchRoutes(app: App, ports: CloudPorts, takeSeat: TakeSeat): void {
  app.post(
    '/v1/cloud/search',
    {
      onRequest: takeSeat,
      schema: {
        operationId: 'cloudSearch',
        summary: 'Search the web and read what is found',
        description:
          'By the engine that the installation has set. The pages are read as scrape reads them. One cloud page for each result.',
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
      if (query === '') throw refusal('query', 'bad_value', 'query must say what is looked for.')
      const { granted } = await metering.reserve(caller, { requestId, kind: 'cloud_page', units: limit })
      const found = await cloud.search({ query, limit: granted }).catch(error => {
        metering.failed(caller, { requestId, operation, what: query })
        throw error
      })
      const hits = found.hits.slice(0, granted)
      const read = await readHits(ports, hits, {
        projectId: caller.projectId,
        format,
        gone: goneOf(reply),
      })
      const costUsd = hits.length === 0 ? 0 : usd(found.costUsd + read.costUsd)
      const tried = hits.map(({ url }) => ({ what: url, ending: 'billed' as const }))
      await metering.served(caller, { requestId, operation, costUsd, tried })
      const capped = granted < limit ? [`the daily cap of cloud pages had room for ${granted} results`] : []
      const warnings = [...ignored, ...capped, ...read.warnings]
      const rest = spentTold(costUsd, performance.now() - start, warnings)
      return sendMade(reply, read.results.json('results', rest))
    },
  )
}
