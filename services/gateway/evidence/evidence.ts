/** Evidence of an ended crawl: its signed root, its leaves, and the proof of one page. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import {
  Evidence,
  EvidenceLeafList,
  EvidenceLeafQuery,
  leafColumns,
  PageEvidence,
} from '@tidemark/contracts/http/evidence'
import { PageParams } from '@tidemark/contracts/http/pages'
import type { FastifyReply } from 'fastify'
import type { App } from '../app.ts'
import { formatOf } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { found } from '../http/domain/problem.ts'
import { Slots } from '../http/domain/slots.ts'
import { capped, oneMore, partOf, type Window } from '../http/domain/window.ts'
import { vary } from '../http/requests/vary.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import { pieceLength, sendLongList } from '../http/responses/long-list.ts'
import { sendRows } from '../http/responses/row-list.ts'
import { whileExist } from '../read-model/existing-run.ts'
import { assertEnded, openProve, type ProvePorts } from './prove.ts'

const tags = ['Evidence']
const shape = { columns: leafColumns, freeText: ['requested_url'] }
/** Maximum number of reads of a project at once at this gateway. Each reads all pages of a run. */
const readsOfProject = 2

const noSlot = {
  reason: 'content_streams',
  message: `This gateway already reads evidence or policies of ${readsOfProject} crawls of the project. Wait for one to end first.`,
} as const

/** Takes a slot of the project for the response, and returns the signal of its client. @throws ApiProblem if it has none */
export type AcquireRead = (projectId: number, reply: FastifyReply) => AbortSignal

export function readSlots(): AcquireRead {
  const slots = new Slots(readsOfProject)
  return (projectId, reply) => acquireSlot(slots, projectId, reply, noSlot)
}

export function evidenceRoutes(app: App, ports: ProvePorts & { acquire: AcquireRead }): void {
  const { acquire } = ports
  const prove = openProve(ports)

  app.get(
    '/v1/crawls/:id/evidence',
    {
      schema: {
        operationId: 'getEvidence',
        summary: 'Read the signed evidence of a crawl',
        tags,
        description:
          'Signs the root of a Merkle tree over all stored pages of a crawl that has ended. With a time-stamp, the same evidence is returned each time. A crawl whose failed pages are retried has other evidence afterwards.',
        params: RunParams,
        response: { 200: Evidence },
      },
    },
    async ({ caller: { projectId }, params: { id }, warnings }, reply) => {
      const run = { projectId, runId: id }
      const ended = await assertEnded(ports, run)
      const signal = acquire(projectId, reply)
      return prove.run(run, ended, { signal, warn: text => warnings.push(text) })
    },
  )

  app.get(
    '/v1/pages/:id/evidence',
    {
      schema: {
        operationId: 'getPageEvidence',
        summary: 'Read the proof that a page belongs to a crawl',
        tags,
        description:
          'The leaf of the page, its audit path, and the signed root. It verifies without the other pages of the crawl. For the proofs of many pages read the leaves.',
        params: PageParams,
        response: { 200: PageEvidence },
      },
    },
    async ({ caller: { projectId }, params: { id }, warnings }, reply) => {
      const runId = found(await ports.leafReads.runOfPage(projectId, id))
      const run = { projectId, runId }
      const ended = await assertEnded(ports, run)
      const signal = acquire(projectId, reply)
      return found(await prove.page(run, ended, id, { signal, warn: text => warnings.push(text) }))
    },
  )

  leavesRoute(app, ports)
}

function leavesRoute(app: App, ports: ProvePorts): void {
  const { leafReads, hasRun } = ports
  app.get(
    '/v1/crawls/:id/evidence/leaves',
    {
      schema: {
        operationId: 'listEvidenceLeaves',
        summary: 'List the leaves of the evidence of a crawl',
        tags,
        description:
          'One leaf for each stored page, in the order of the tree. Each line of ndjson is, without its line break, the text that the tree hashes.',
        params: RunParams,
        querystring: EvidenceLeafQuery,
        response: { 200: EvidenceLeafList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, headers }, reply) => {
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const run = { projectId, runId: id }
      await assertEnded(ports, run)
      const piecesOf = (window: Window) => whileExist(leafReads.pieces(run, window), hasRun, run)
      const path = `/v1/crawls/${id}/evidence/leaves`
      const isLong = query.limit > pieceLength
      if (isLong && format !== 'json') {
        const window = capped(query)
        const next = await leafReads.nextOffset(run, window)
        return sendRows(reply, { format, rows: rowsText(format, shape, piecesOf(window)), next, path, query })
      }
      const pieces = piecesOf(oneMore(query))
      if (isLong) return sendLongList(reply, query, pieces)
      const { items, next_offset: next } = partOf(query, (await Array.fromAsync(pieces)).flat())
      if (format === 'json') return { items, next_offset: next }
      return sendRows(reply, { format, rows: rowsText(format, shape, [items]), next, path, query })
    },
  )
}
