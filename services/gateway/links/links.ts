/** Routes for the links between the pages of a run, and for its orphans. */
import { RunParams, type RunView } from '@tidemark/contracts/http/crawls'
import {
  LinkList,
  LinkListQuery,
  linkColumns,
  OrphanList,
  OrphanListQuery,
  orphanColumns,
} from '@tidemark/contracts/http/links'
import type { App } from '../app.ts'
import { formatOf, mediaTypes } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { normalUrl } from '../http/domain/page-url.ts'
import { oneMore, partOf, type Window } from '../http/domain/window.ts'
import { sharedBy } from '../http/requests/share-access.ts'
import { vary } from '../http/requests/vary.ts'
import type { ScanLinks } from '../http/responses/link-scans.ts'
import { arrayText, pieceLength, sendLongList, warningsText } from '../http/responses/long-list.ts'
import { sendRows } from '../http/responses/row-list.ts'
import { sendText } from '../http/responses/text-stream.ts'
import type { OfRun } from '../read-model/adapters/crawled-pages.ts'
import type { PastRun, RunsAsOf } from '../read-model/adapters/runs-as-of.ts'
import { assertExist, type HasRun, whileExist } from '../read-model/existing-run.ts'
import type { LinkReads } from './adapters/link-reads.ts'
import type { OrphanReads } from './adapters/orphan-reads.ts'

export type LinkPorts = {
  links: LinkReads
  orphans: OrphanReads
  scanLinks: ScanLinks
  hasRun: HasRun
  findRun: (projectId: number, runId: number) => Promise<Pick<RunView, 'finished_at'> | null>
  runsAsOf: Pick<RunsAsOf, 'pages'>
}

const tags = ['Links']
/** Texts of pages. */
const linkShape = { columns: linkColumns, freeText: ['anchor', 'rel'] }
const orphanShape = { columns: orphanColumns, freeText: [] }

export function linkRoutes(app: App, ports: LinkPorts): void {
  listLinksRoute(app, ports)
  listOrphansRoute(app, ports)
}

function listLinksRoute(app: App, ports: LinkPorts): void {
  const { links, scanLinks, hasRun, runsAsOf } = ports
  app.get(
    '/v1/crawls/:id/links',
    {
      schema: {
        operationId: 'listLinks',
        summary: 'List the links between the pages of a crawl',
        tags,
        description:
          'Read from the stored pages, as JSON, ndjson or csv, up to 100,000 links at once (`limit`). With ndjson and csv, `X-Next-Offset` is the offset of the next part. A crawl with `store_html: false` has none.',
        params: RunParams,
        querystring: LinkListQuery,
        response: { 200: LinkList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, headers, warnings, raw }, reply) => {
      const { from_page_id: fromPageId, to_url } = query
      const toUrl = to_url === undefined ? undefined : normalUrl('to_url', to_url)
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const run = await runsAsOf.pages({ projectId, runId: id, ...sharedBy(raw) }, query.as_of)
      const isKept = await hasLinks(ports, run)
      if (!isKept) warnings.push(notKept)
      const range =
        isKept && toUrl !== undefined
          ? await scanLinks(reply, signal => links.to(run, { toUrl, fromPageId, window: query, signal }))
          : links.from(run, fromPageId)
      const piecesOf = (window: Window) => whileExist(range.pieces(window), hasRun, run)
      const path = `/v1/crawls/${id}/links`
      const isLong = isKept && query.limit > pieceLength
      if (isLong && format === 'json') {
        return sendLongList(reply, query, piecesOf(oneMore(query)))
      }
      if (isLong && format !== 'json') {
        const next = await range.nextOffset(query)
        const rows = rowsText(format, linkShape, piecesOf(query))
        return sendRows(reply, { format, rows, next, path, query })
      }
      const pieces = isKept ? await Array.fromAsync(piecesOf(oneMore(query))) : []
      const { items, next_offset } = partOf(query, pieces.flat())
      if (format === 'json') return { items, next_offset }
      const rows = rowsText(format, linkShape, [items])
      return sendRows(reply, { format, rows, next: next_offset, path, query })
    },
  )
}

function listOrphansRoute(app: App, ports: LinkPorts): void {
  const { orphans, scanLinks, hasRun, runsAsOf } = ports
  app.get(
    '/v1/crawls/:id/orphans',
    {
      schema: {
        operationId: 'listOrphans',
        summary: 'List the orphan pages of a crawl',
        tags,
        description:
          'Lists pages that no other page of the crawl links to. The seed is never listed. While the crawl runs, pages may be listed whose links were not read yet. Read from the stored pages: a crawl with `store_html: false` has none. Returns JSON, ndjson or csv, all pages at once.',
        params: RunParams,
        querystring: OrphanListQuery,
        response: { 200: OrphanList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, headers, warnings, raw }, reply) => {
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const run = await runsAsOf.pages({ projectId, runId: id, ...sharedBy(raw) }, query.as_of)
      const isKept = await hasLinks(ports, run)
      if (!isKept) warnings.push(notKept)
      if (isKept && (await isActive(ports, run))) warnings.push(notAllRead)
      const ids = isKept ? await scanLinks(reply, signal => orphans.ids(run, signal)) : []
      const pieces = whileExist(orphans.pieces(run, ids), hasRun, run)
      if (format !== 'json') {
        const rows = rowsText(format, orphanShape, pieces)
        return sendRows(reply, { format, rows, next: null, path: `/v1/crawls/${id}/orphans`, query })
      }
      if (ids.length <= pieceLength) return { items: (await Array.fromAsync(pieces)).flat() }
      return sendText(reply, mediaTypes.json, itemsText(pieces, warningsText(reply)))
    },
  )
}

/**
 * Returns whether the run keeps bodies, from which its links are read. Throws `ApiProblem` if the run does not exist.
 */
async function hasLinks({ links, hasRun }: LinkPorts, run: OfRun): Promise<boolean> {
  await assertExist(hasRun, run)
  return links.keepsBodies(run)
}

/** Returns whether the run has not ended, or had not ended at the time as of which it is read. */
async function isActive({ findRun }: LinkPorts, { projectId, runId, status }: PastRun): Promise<boolean> {
  if (status !== undefined) return status === 'queued' || status === 'running'
  return (await findRun(projectId, runId))?.finished_at === null
}

async function* itemsText(pieces: AsyncIterable<object[]>, warnings: string): AsyncGenerator<string> {
  yield '{"items":'
  yield* arrayText(pieces)
  yield `${warnings}}`
}

const notAllRead = 'the crawl is running: pages may be listed whose links were not read yet'
const notKept = 'the links of this crawl cannot be read, because it was started with store_html: false'
