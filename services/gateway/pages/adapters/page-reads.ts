/** Pages in the read model. Every query is scoped by the project. */
import { type PageField, type PageItem, pageColumns } from '@tidemark/contracts/http/pages'
import type { OfProject } from '@tidemark/db/of-project'
import { inBatches, type Window } from '../../http/domain/window.ts'
import type { InlinkCounts } from '../../read-model/adapters/inlink-reads.ts'

/** The row of a page, and the names under which its content is stored. */
export type FoundPage = PageItem & {
  projectId: number
  runId: number
  urlKey: string
  contentHash: string
  contentType: string | null
}

/** The selected pages of a run, and the fields of each item besides its columns. */
export type PageSelection = Window & {
  status?: number | undefined
  fields?: readonly PageField[]
  /** The values of the field `inlinks`. */
  inlinks?: InlinkCounts
  /** The highest id; undefined: all pages. */
  upTo?: number | undefined
}

export type PageReads = {
  find(projectId: number, pageId: number): Promise<FoundPage | null>
  /** Returns pages in the order of their ids: at most `limit`, from `offset` on. */
  list(projectId: number, runId: number, selection: PageSelection): Promise<PageItem[]>
  /** Returns the same pages as `list`, in batches, so that a long list needs no more memory than a short one. */
  pieces(projectId: number, runId: number, selection: PageSelection): AsyncGenerator<PageItem[]>
  /** Position of the first page after the selection; null at the end. */
  nextOffset(projectId: number, runId: number, selection: PageSelection): Promise<number | null>
}

type ItemRow = Omit<PageItem, 'fetched_at'> & { fetched_at: Date }
type Row = Omit<FoundPage, 'fetched_at' | 'projectId' | 'trace_id'> & {
  fetched_at: Date
  trace_id: string | null
}

const onePage = `select page.id, page.url, page.status, page.bytes, page.fetched_at, page.run_id as "runId",
    page.url_key as "urlKey", page.content_hash as "contentHash", page.content_type as "contentType", run.trace_id
  from read.page join read.run on run.id = page.run_id
  where page.id = $1 and page.project_id = $2`

const pagesOf = (bound = '') => `from read.page
  where run_id = $1 and project_id = $2 and id > $3 and exists (select from read.run where run.id = $1)
    and ($6::integer is null or status = $6)${bound}
  order by id limit $4 offset $5`
const pagesOfRun = pagesOf()
const pagesAsOf = pagesOf(' and id <= $7')

/** Sources of fields that are not columns of the page's row. */
const sources: Partial<Record<PageField, string>> = {
  inlinks: 'null::integer as inlinks',
  trace_id: '(select trace_id from read.run where run.id = $1) as trace_id',
}

/** Items of one batch; three batches are in memory for each stalled reader. */
const readAtOnce = 250

export const openPageReads = (reads: OfProject): PageReads => ({
  async find(projectId, pageId) {
    const statement = { name: 'page', text: onePage, values: [pageId, projectId] }
    const { rows } = await reads(projectId).query<Row>(statement)
    return rows[0] ? pageOf(rows[0], projectId) : null
  },

  list: (projectId, runId, selection) => listAfter(reads, projectId, runId, 0, selection),

  pieces: (projectId, runId, selection) =>
    inBatches(selection, readAtOnce, (after, part) =>
      listAfter(reads, projectId, runId, after, { ...selection, ...part }),
    ),

  async nextOffset(projectId, runId, { limit, offset, status, upTo }) {
    const next = offset + limit
    if (!Number.isSafeInteger(next)) return null
    const values = [runId, projectId, 0, 1, next, status ?? null]
    const statement = selecting('more-pages', '', values, upTo)
    const { rowCount } = await reads(projectId).query(statement)
    return rowCount === 1 ? next : null
  },
})

async function listAfter(
  reads: OfProject,
  projectId: number,
  runId: number,
  after: number,
  { limit, offset, status, fields = [], inlinks = null, upTo }: PageSelection,
): Promise<PageItem[]> {
  const columns = [...pageColumns, ...fields.map(field => sources[field] ?? field)]
  const values = [runId, projectId, after, limit, offset, status ?? null]
  const { name, ...query } = selecting('pages', columns.join(), values, upTo)
  const { rows } = await reads(projectId).query<ItemRow>(fields.length === 0 ? { name, ...query } : query)
  const items = rows.map(row => ({ ...row, fetched_at: row.fetched_at.toISOString() }))
  if (inlinks === null) return items
  return items.map(item => ({ ...item, inlinks: inlinks.get(item.id) ?? 0 }))
}

/**
 * Returns the statement. The statement for all pages has no upper limit of the id, because it is the most frequent one.
 */
const selecting = (name: string, columns: string, values: unknown[], upTo: number | undefined) =>
  upTo === undefined
    ? { name, text: `select ${columns} ${pagesOfRun}`, values }
    : { name: `${name}-as-of`, text: `select ${columns} ${pagesAsOf}`, values: [...values, upTo] }

const pageOf = ({ fetched_at, trace_id, ...row }: Row, projectId: number): FoundPage => ({
  ...row,
  fetched_at: fetched_at.toISOString(),
  projectId,
  ...(trace_id && { trace_id }),
})
