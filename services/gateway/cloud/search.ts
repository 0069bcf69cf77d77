/** `POST /v1/cloud/search`: searches the web and reads the pages of the results. */
import { CloudSearch, SearchRequest } from '@tidemark/contracts/http/cloud/search'
import { priceText } from '@tidemark/contracts/prices'
import type { SearchHit } from '@tidemark/contracts/rpc/search'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { refusal } from '../http/domain/refusal.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import { sendMade } from '../http/responses/send-made.ts'
import { holdSlot, type SlotHook } from '../http/responses/slot-hook.ts'
import { costFields } from '../live-pages/domain/page-fields.ts'
import { usd } from '../live-pages/domain/price-of.ts'
import type { Tried } from '../metering/domain/metering.ts'
import { reserveUnlessDisconnected } from '../metering/reserve-unless-disconnected.ts'
import type { CloudPorts } from './ports.ts'
import { type ReadHits, readHits } from './read-hits.ts'

export function cloudSearchRoutes(app: App, ports: CloudPorts, acquireSlot: SlotHook): void {
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
    (request, reply) => holdSlot(reply, search(ports, request, reply)),
  )
}

type Searching = Pick<FastifyRequest, 'caller' | 'id' | 'warnings'> & { body: SearchRequest }

async function search(ports: CloudPorts, request: Searching, reply: FastifyReply) {
  const start = performance.now()
  const operation = 'cloud_search'
  const { body, caller, id: requestId, warnings: ignored } = request
  const { metering, cloud } = ports
  const { limit, return_format: format } = body
  const query = body.query.trim()
  if (query === '') throw refusal('query', 'bad_value', 'query must not be empty.')
  const disconnected = disconnectSignal(reply)
  const wanted = { requestId, kind: 'cloud_page', units: limit } as const
  const { granted } = await reserveUnlessDisconnected(metering, caller, wanted, disconnected)
  const found = await cloud.search({ query, limit: granted }).catch(error => {
    metering.failed(caller, { requestId, operation, what: query, error })
    throw error
  })
  const hits = found.hits.slice(0, granted)
  const read = await readHits(ports, hits, { projectId: caller.projectId, format, disconnected })
  const tried = triedBy(query, hits, read, disconnected.aborted)
  const isBilled = tried.some(({ ending }) => ending === 'billed')
  const costUsd = isBilled ? usd(found.costUsd + read.costUsd) : 0
  await metering.served(caller, { requestId, operation, costUsd, tried })
  const capped =
    granted < limit ? [`the daily cap of cloud pages allowed ${granted} of ${limit} results`] : []
  const warnings = [...ignored, ...capped, ...read.warnings]
  const rest = costFields(costUsd, performance.now() - start, warnings)
  return sendMade(reply, read.results.json('results', rest))
}

/**
 * Returns the attempts of a search. If the client has left, it receives nothing, so only the pages that were read are
 * billed. The search engine is paid in any case, so there is always an attempt: a search without results counts as one
 * free result. Only a search with a billed result has a cost.
 */
function triedBy(query: string, hits: readonly SearchHit[], { missing }: ReadHits, isLeft: boolean): Tried[] {
  if (hits.length === 0) return [{ what: query, ending: 'failed' }]
  if (!isLeft) return triesOf(hits, 'billed')
  const read = hits.filter((_, index) => !missing.has(index))
  const unread = hits.filter((_, index) => missing.has(index))
  return [...triesOf(read, 'billed'), ...triesOf(unread, 'failed')]
}

const triesOf = (hits: readonly SearchHit[], ending: 'billed' | 'failed'): Tried[] =>
  hits.map(({ url }) => ({ what: url, ending }))
