/** Exports: requested for a crawl that has ended, read until they are done, and deleted. Only the tokens of embeddings are billed. */
import type { RunView } from '@tidemark/contracts/http/crawls'
import { RunParams } from '@tidemark/contracts/http/crawls'
import {
  DeletedExport,
  ExportList,
  ExportListQuery,
  ExportParams,
  ExportRequest,
  ExportView,
} from '@tidemark/contracts/http/exports'
import { exportCapsOf } from '@tidemark/contracts/limits'
import type { StoredView } from '@tidemark/contracts/rpc/exports'
import type { App } from '../app.ts'
import { IdempotencyHeaders, noteReplay } from '../crawls/started.ts'
import { canonicalText } from '../http/domain/canonical-text.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { deleted, sendDeleted } from '../http/responses/answers.ts'
import type { Models } from '../live-pages/adapters/models.ts'
import { assertEmbeddings } from '../live-pages/assert-model.ts'
import { runActive } from '../read-model/existing-run.ts'
import type { Exports } from './adapters/exports.ts'
import { selectionOf, sinkOf } from './domain/export-request.ts'
import type { Signable } from './signed-addresses.ts'

export type ExportPorts = {
  exports: Exports
  models: Pick<Models, 'embeddings' | 'consent'>
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  /** Throws `ApiProblem` for an address that may not be reached. */
  judgeTarget: (url: string, field?: string) => Promise<void>
  /** Hides a secret before it leaves this process. */
  seal: (text: string) => string
  fingerprint: (text: string) => string
  /** Returns the signed address of a file. */
  addressOf: (signable: Signable) => string
  /** Whether an Idempotency-Key with a different body is rejected instead of a warning. */
  idempotencyStrict: boolean
}

const tags = ['Exports']

const otherBody =
  'this Idempotency-Key was used before with another body; the export that it requested is returned and this body was ignored'

export function exportRoutes(app: App, ports: ExportPorts): void {
  requestExportRoute(app, ports)
  listExportsRoute(app, ports)
  getExportRoute(app, ports)
  deleteExportRoute(app, ports)
}

function requestExportRoute(app: App, ports: ExportPorts): void {
  const { exports, judgeTarget, seal, fingerprint, addressOf, idempotencyStrict } = ports
  app.post(
    '/v1/crawls/:id/exports',
    {
      schema: {
        operationId: 'requestExport',
        summary: 'Export the pages of a crawl as one file',
        tags,
        description:
          'The crawl must have ended. Returns at once: follow the export at `Location`. It survives restarts, and costs nothing but the tokens of embeddings. Send an `Idempotency-Key` so that a repeated request creates nothing twice.',
        headers: IdempotencyHeaders,
        params: RunParams,
        body: ExportRequest,
        response: { 202: ExportView },
      },
    },
    async (request, reply) => {
      const { caller, params, body, headers } = request
      const { projectId } = caller
      const select = selectionOf(body)
      const { sink, keys } = sinkOf(body.sink)
      assertEnded(await ports.findRun(projectId, params.id))
      if (select.chunks?.embeddings)
        await assertEmbeddings(ports.models, projectId, 'select.chunks.embeddings')
      if (sink.type === 's3') await judgeTarget(sink.endpoint, 'sink.endpoint')
      const { export: view, ...made } = await exports.request({
        projectId,
        runId: params.id,
        format: body.format,
        select,
        sink,
        credentials: keys && seal(JSON.stringify(keys)),
        idempotencyKey: headers['idempotency-key'] ?? null,
        fingerprint: fingerprint(`${params.id} ${canonicalText(body)}`),
        caps: exportCapsOf(caller),
      })
      noteReplay(reply, made, idempotencyStrict)
      if (!made.sameRequest) request.warnings.push(otherBody)
      return reply
        .code(202)
        .header('location', `/v1/exports/${view.id}`)
        .send(shown(projectId, view, addressOf))
    },
  )
}

function listExportsRoute(app: App, { exports, findRun, addressOf }: ExportPorts): void {
  app.get(
    '/v1/crawls/:id/exports',
    {
      schema: {
        operationId: 'listExports',
        summary: 'List the exports of a crawl',
        tags,
        description: 'Includes failed and expired exports. A deleted crawl has no exports.',
        params: RunParams,
        querystring: ExportListQuery,
        response: { 200: ExportList },
      },
    },
    async ({ caller: { projectId }, params, query }) => {
      if ((await findRun(projectId, params.id)) === null) throw new ApiProblem('not_found')
      const listed = await exports.list({ projectId, runId: params.id, ...oneMore(query) })
      const { items, next_offset } = partOf(query, listed)
      return { items: items.map(view => shown(projectId, view, addressOf)), next_offset }
    },
  )
}

function getExportRoute(app: App, { exports, addressOf }: ExportPorts): void {
  app.get(
    '/v1/exports/:id',
    {
      schema: {
        operationId: 'getExport',
        summary: 'Read an export, with the address of its file',
        tags,
        description: 'Poll every 2 to 5 seconds until `status` is done or failed.',
        params: ExportParams,
        response: { 200: ExportView },
      },
    },
    async ({ caller, params }) => {
      const view = found(await exports.find(caller.projectId, params.id))
      return shown(caller.projectId, view, addressOf)
    },
  )
}

function deleteExportRoute(app: App, { exports }: ExportPorts): void {
  app.delete(
    '/v1/exports/:id',
    {
      schema: {
        operationId: 'deleteExport',
        summary: 'Delete an export and its file',
        tags,
        description: 'Works in every status. An object in your bucket stays.',
        params: ExportParams,
        response: deleted(200, DeletedExport, 'It is deleted.'),
      },
    },
    async ({ caller, params }, reply) => {
      if (!(await exports.remove(caller.projectId, params.id))) throw new ApiProblem('not_found')
      return sendDeleted(reply, 200, { deleted: true, id: params.id })
    },
  )
}

function assertEnded(run: RunView | null): void {
  if (run === null) throw new ApiProblem('not_found')
  if (run.finished_at === null) throw runActive(run.id)
}

const shown = (projectId: number, view: StoredView, addressOf: ExportPorts['addressOf']): ExportView => ({
  ...view,
  download_url:
    view.status === 'done' && view.sink.type === 'download'
      ? addressOf({ id: view.id, projectId, createdAt: view.created_at })
      : null,
})
