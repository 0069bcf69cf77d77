/** Stored pages: those of a run as a list, and one with its content. */
import type { ChunkRequest } from '@tidemark/contracts/http/chunks'
import { RunParams } from '@tidemark/contracts/http/crawls'
import {
  type PageField,
  PageList,
  PageListQuery,
  PageParams,
  type PagePart,
  PageQuery,
  PageView,
  pageColumns,
} from '@tidemark/contracts/http/pages'
import type { FastifyReply } from 'fastify'
import type { App } from '../app.ts'
import { formatOf } from '../http/domain/list-format.ts'
import { type RowShape, rowsText } from '../http/domain/list-rows.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import { Slots } from '../http/domain/slots.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { sharedBy } from '../http/requests/share-access.ts'
import { vary } from '../http/requests/vary.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import type { ScanLinks } from '../http/responses/link-scans.ts'
import { pieceLength, sendLongList } from '../http/responses/long-list.ts'
import { sendRows } from '../http/responses/row-list.ts'
import { assertOverlap } from '../live-pages/domain/chunk-request.ts'
import type { OfRun } from '../read-model/adapters/crawled-pages.ts'
import type { InlinkCounts, InlinkReads } from '../read-model/adapters/inlink-reads.ts'
import type { RunsAsOf } from '../read-model/adapters/runs-as-of.ts'
import { assertExist, type HasRun, whileExist } from '../read-model/existing-run.ts'
import type { ReadPageContent } from './adapters/page-content.ts'
import type { FoundPage, PageReads, PageSelection } from './adapters/page-reads.ts'
import { nullsOf, type PageSlice, partsOf, partsOfFormat } from './domain/page-format.ts'
import { contentRows } from './page-contents.ts'

export type PagePorts = {
  pages: PageReads
  hasRun: HasRun
  readContent: ReadPageContent
  inlinks: InlinkReads
  scanLinks: ScanLinks
  runsAsOf: Pick<RunsAsOf, 'pages'>
}

const tags = ['Pages']

/** Concurrent answers with the contents of a whole run per project: each has some of them in memory. */
const contentsOfProject = 4

const noSlot = {
  reason: 'content_streams',
  message: 'The project has reached its limit of content streams. Wait until one of them ends.',
} as const

export function pageRoutes(app: App, ports: PagePorts): void {
  listPagesRoute(app, ports)
  getPageRoute(app, ports)
}

function listPagesRoute(app: App, ports: PagePorts): void {
  const { pages, readContent, runsAsOf } = ports
  const assertRun = (projectId: number, runId: number) => assertExist(ports.hasRun, { projectId, runId })
  const piecesOf = (run: OfRun, selection: PageSelection) =>
    whileExist(pages.pieces(run.projectId, run.runId, selection), ports.hasRun, run)
  const slots = new Slots(contentsOfProject)
  app.get(
    '/v1/crawls/:id/pages',
    {
      schema: {
        operationId: 'listPages',
        summary: 'List the pages of a crawl',
        tags,
        description:
          'Returns JSON, ndjson or csv, up to 100,000 pages at once (`limit`). With ndjson and csv, `X-Next-Offset` is the offset of the next part. With ndjson, `include` adds the content of each page.',
        params: RunParams,
        querystring: PageListQuery,
        response: { 200: PageList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query, headers, raw }, reply) => {
      const fields = fieldsOf(query.fields)
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      if (query.include !== undefined && format !== 'ndjson') throw onlyRows
      const slice = sliceOf(query.include === undefined ? [] : partsOf(query.include), query)
      const run = await runsAsOf.pages({ projectId, runId: id, ...sharedBy(raw) }, query.as_of)
      const counts = fields.includes('inlinks') ? await countsOf(ports, run, reply) : null
      const selection = { ...oneMore(query), status: query.status, fields, inlinks: counts, upTo: run.upTo }
      if (format === 'json') return sendJson(run, query, selection, reply)
      const exact = { ...selection, limit: query.limit }
      await assertRun(projectId, id)
      const next = await pages.nextOffset(projectId, id, exact)
      const pieces = piecesOf(run, exact)
      const rows =
        query.include === undefined
          ? rowsText(format, pageShape(fields), pieces)
          : contentRows({ pages, readContent }, projectId, slice, pieces)
      if (query.include !== undefined) acquireSlot(slots, projectId, reply, noSlot)
      return sendRows(reply, { format, rows, next, path: `/v1/crawls/${id}/pages`, query })
    },
  )

  async function sendJson(run: OfRun, query: PageListQuery, selection: PageSelection, reply: FastifyReply) {
    const { projectId, runId } = run
    if (query.limit > pieceLength) {
      await assertRun(projectId, runId)
      return sendLongList(reply, query, piecesOf(run, selection))
    }
    const items = await pages.list(projectId, runId, selection)
    if (items.length === 0) await assertRun(projectId, runId)
    return partOf(query, items)
  }
}

/** Counts once for the whole list, before it begins. */
async function countsOf(ports: PagePorts, run: OfRun, reply: FastifyReply): Promise<InlinkCounts> {
  await assertExist(ports.hasRun, run)
  return ports.scanLinks(reply, signal => ports.inlinks(run, signal))
}

/** The names in `fields`, without duplicates, in their order. */
const fieldsOf = (fields = ''): PageField[] =>
  fields === '' ? [] : ([...new Set(fields.split(','))] as PageField[])

const pageShape = (fields: readonly PageField[]): RowShape => ({
  columns: [...pageColumns, ...fields],
  freeText: ['title', 'content_type', 'requested_url'],
})

function getPageRoute(app: App, { pages, readContent }: PagePorts): void {
  app.get(
    '/v1/pages/:id',
    {
      schema: {
        operationId: 'getPage',
        summary: 'Read a page with its content',
        tags,
        description:
          'Derived from the stored body: nothing is fetched, and nothing is billed. For crawls with `store_html: false`, html and signals are null with a warning, and markdown and article are rejected.',
        params: PageParams,
        querystring: PageQuery,
        response: { 200: PageView },
      },
    },
    async request => {
      const page = found(await pages.find(request.caller.projectId, request.params.id))
      const slice = sliceOf(partsOfFormat[request.query.format], request.query)
      const content = (await readContent(page, slice)) ?? (await withoutBody(readContent, page, slice))
      const { id, url, status, bytes, fetched_at, contentHash, contentType, trace_id } = page
      return {
        id,
        url,
        status,
        bytes,
        fetched_at,
        content_hash: contentHash,
        content_type: contentType,
        ...(trace_id && { trace_id }),
        ...content,
      }
    },
  )
}

const onlyRows = refusal(
  'include',
  'conflicting_fields',
  'include needs format=ndjson: only rows have content.',
)

type FormQuery = Pick<
  PageQuery,
  'only_main_content' | 'article_format' | 'chunk_max_tokens' | 'chunk_overlap'
>

/** @throws ApiProblem if the query selects the form of a part that is not requested */
function sliceOf(parts: readonly PagePart[], query: FormQuery): PageSlice {
  const isMainOnly = query.only_main_content === 'true'
  const hasArticle = parts.includes('article')
  if (isMainOnly && !hasArticle && !parts.includes('markdown')) throw withoutMarkdown
  if (query.article_format === 'markdown' && !hasArticle) throw withoutArticle
  const chunks = chunksOf(query)
  if (chunks && !parts.includes('markdown')) throw chunksWithoutMarkdown
  return { parts, isMainOnly, articleFormat: query.article_format, chunks }
}

function chunksOf({
  chunk_max_tokens: max_tokens,
  chunk_overlap: overlap,
}: FormQuery): ChunkRequest | undefined {
  if (max_tokens === undefined) {
    if (overlap !== undefined) throw overlapWithoutChunks
    return undefined
  }
  const chunks = { max_tokens, ...(overlap !== undefined && { overlap }) }
  assertOverlap(chunks, 'chunk_overlap')
  return chunks
}

const withoutMarkdown = refusal(
  'only_main_content',
  'conflicting_fields',
  'only_main_content applies to Markdown and articles: add include=markdown to a list, or format=markdown to a page.',
)

const withoutArticle = refusal(
  'article_format',
  'conflicting_fields',
  'article_format applies to articles: add include=article to a list, or format=article to a page.',
)

const chunksWithoutMarkdown = refusal(
  'chunk_max_tokens',
  'conflicting_fields',
  'Chunks are made of Markdown: add include=markdown to a list, or format=markdown to a page.',
)

const overlapWithoutChunks = refusal(
  'chunk_overlap',
  'conflicting_fields',
  'chunk_overlap applies to chunks: add chunk_max_tokens, or leave it out.',
)

const notStored = 'The body of this page was not kept; its crawl was started with store_html: false.'

/**
 * The response for a page without a stored body.
 * @throws ApiProblem if markdown or an article was requested
 */
async function withoutBody(
  readContent: ReadPageContent,
  page: FoundPage,
  slice: PageSlice,
): Promise<Partial<PageView>> {
  const { parts } = slice
  const isWritten = parts.includes('markdown') || parts.includes('article')
  const alwaysKept = { ...slice, parts: parts.filter(part => part === 'metadata') }
  const kept = isWritten ? null : await readContent(page, alwaysKept)
  if (kept === null) throw new ApiProblem('conflict', { message: notStored, reason: 'html_not_stored' })
  return { ...nullsOf(slice), ...kept, warnings: [notStored] }
}
