/** `/v1/scan/batch` and `/v1/scan/batches`: pages that are read without a waiting client. */
import {
  BatchList,
  BatchListQuery,
  BatchParams,
  BatchRequest,
  BatchResults,
  BatchResultsQuery,
  BatchView,
  DeletedBatch,
} from '@tidemark/contracts/http/scan-batch'
import { priceText } from '@tidemark/contracts/prices'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { IdempotencyHeaders, noteReplay } from '../crawls/started.ts'
import { canonicalText } from '../http/domain/canonical-text.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { Slots } from '../http/domain/slots.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import { deleted, sendDeleted } from '../http/responses/answers.ts'
import { assertUserAgent } from '../live-pages/domain/user-agent.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { refusing, spentPages } from '../metering/spent-pages.ts'
import type { Batches } from './adapters/batches.ts'
import { sendResults } from './batch-results.ts'
import { optionsOf, storedUrls } from './domain/batch-request.ts'

export type BatchPorts = {
  batches: Batches
  metering: Metering
  /** Throws `ApiProblem` for an address that may not be reached. */
  judgeTarget: (url: string, field?: string) => Promise<void>
  fingerprint: (text: string) => string
  /** Whether an Idempotency-Key with a different body is rejected instead of a warning. */
  idempotencyStrict: boolean
}

const tags = ['Scans']

/** Concurrent answers with results per project: each has some of them in memory. */
const resultsOfProject = 4

const noSlot = {
  reason: 'content_streams',
  message: `This gateway already sends the results of ${resultsOfProject} batches of the project. Try again when one response has ended.`,
} as const

const otherBody =
  'this Idempotency-Key was used before with another body; the batch that it requested is returned and this body was ignored'

export function batchRoutes(app: App, ports: BatchPorts): void {
  requestBatchRoute(app, ports)
  listBatchesRoute(app, ports)
  getBatchRoute(app, ports)
  readResultsRoute(app, ports)
  cancelBatchRoute(app, ports)
  deleteBatchRoute(app, ports)
}

function requestBatchRoute(app: App, ports: BatchPorts): void {
  app.post(
    '/v1/scan/batch',
    {
      schema: {
        operationId: 'requestBatch',
        summary: 'Read up to 10,000 pages without waiting',
        tags,
        description: `Returns at once: follow the batch at \`Location\`. It survives restarts. Its results are those of a bulk scan. ${priceText('scan_batch')} Send an \`Idempotency-Key\` so that a repeated request starts nothing twice.`,
        headers: IdempotencyHeaders,
        body: BatchRequest,
        response: { 202: BatchView },
      },
    },
    async (request, reply) => {
      const { batch, ...made } = await requested(ports, request)
      noteReplay(reply, made, ports.idempotencyStrict)
      if (!made.sameRequest) request.warnings.push(otherBody)
      return reply.code(202).header('location', `/v1/scan/batches/${batch.id}`).send(batch)
    },
  )
}

type Requesting = Pick<FastifyRequest, 'caller' | 'id' | 'warnings'> & {
  body: BatchRequest
  headers: { 'idempotency-key'?: string }
}

async function requested(ports: BatchPorts, { body, caller, id, headers, warnings }: Requesting) {
  const { projectId, tier, unlimited, caps, keyCaps } = caller
  assertUserAgent(body.user_agent)
  const urls = storedUrls(body.urls)
  if (body.webhook_url !== undefined) await ports.judgeTarget(body.webhook_url, 'webhook_url')
  const idempotencyKey = headers['idempotency-key'] ?? null
  const spent = await spentPages(ports.metering, { caller, id }, idempotencyKey)
  if (spent !== null && idempotencyKey === null) throw spent
  const terms = {
    tier,
    ...(unlimited && { unlimited }),
    ...(caps && { caps }),
    ...(keyCaps && { keyCaps }),
  }
  const options = optionsOf(body, warning => warnings.push(warning))
  return ports.batches.request({
    ...{ projectId, terms, urls, options, idempotencyKey },
    webhookUrl: body.webhook_url ?? null,
    fingerprint: ports.fingerprint(canonicalText(body)),
    ...refusing(spent),
  })
}

function listBatchesRoute(app: App, { batches }: BatchPorts): void {
  app.get(
    '/v1/scan/batches',
    {
      schema: {
        operationId: 'listBatches',
        summary: 'List batches of scans',
        tags,
        description: 'All batches that are not deleted, newest first.',
        querystring: BatchListQuery,
        response: { 200: BatchList },
      },
    },
    async ({ caller, query }) => {
      const window = { ...oneMore(query), before: query.before }
      return partOf(query, await batches.list(caller.projectId, window))
    },
  )
}

function getBatchRoute(app: App, { batches }: BatchPorts): void {
  app.get(
    '/v1/scan/batches/:id',
    {
      schema: {
        operationId: 'getBatch',
        summary: 'Read the progress of a batch',
        tags,
        description: 'Poll every 2 to 5 seconds until `status` is done, or request a webhook.',
        params: BatchParams,
        response: { 200: BatchView },
      },
    },
    async ({ caller, params }) => found(await batches.find(caller.projectId, params.id)),
  )
}

function readResultsRoute(app: App, { batches }: BatchPorts): void {
  const slots = new Slots(resultsOfProject)
  app.get(
    '/v1/scan/batches/:id/results',
    {
      schema: {
        operationId: 'listBatchResults',
        summary: 'Read the results of a batch',
        tags,
        description:
          'The items of a bulk scan, with `index`, in the order of the request. While the batch runs, the list ends before the first URL without a result.',
        params: BatchParams,
        querystring: BatchResultsQuery,
        response: { 200: BatchResults },
      },
    },
    async ({ caller: { projectId }, params: { id }, query }, reply) => {
      const { status } = found(await batches.find(projectId, id))
      const ready = await batches.countReady(projectId, id)
      acquireSlot(slots, projectId, reply, noSlot)
      return sendResults(reply, { id, status, ready, query }, range => batches.results(projectId, id, range))
    },
  )
}

function cancelBatchRoute(app: App, { batches }: BatchPorts): void {
  app.post(
    '/v1/scan/batches/:id/cancel',
    {
      schema: {
        operationId: 'cancelBatch',
        summary: 'Cancel a batch and keep its results',
        tags,
        description: 'Reads no further page, and sends no webhook. A batch that has ended is not changed.',
        params: BatchParams,
        response: { 200: BatchView },
      },
    },
    async ({ caller, params }) => found(await batches.cancel(caller.projectId, params.id)),
  )
}

function deleteBatchRoute(app: App, { batches }: BatchPorts): void {
  app.delete(
    '/v1/scan/batches/:id',
    {
      schema: {
        operationId: 'deleteBatch',
        summary: 'Delete a batch and its results',
        tags,
        description: 'Cancels a batch that has not ended. Its bill stays.',
        params: BatchParams,
        response: deleted(200, DeletedBatch, 'It is deleted.'),
      },
    },
    async ({ caller, params }, reply) => {
      if (!(await batches.remove(caller.projectId, params.id))) throw new ApiProblem('not_found')
      return sendDeleted(reply, 200, { deleted: true, id: params.id })
    },
  )
}
