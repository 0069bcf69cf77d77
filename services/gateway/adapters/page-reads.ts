/** Pages as the read model holds them. Every query is scoped by the project. */
import type { PageItem } from '@tidemark/contracts/http/pages'
import type { Database } from '@tidemark/db/database'
import type { Window } from '../domain/window.ts'

/** A page's row, and under which names its content is stored. */
export type FoundPage = PageItem & {
  runId: number
  urlKey: string
  contentHash: string
  contentType: string | null
}

export type PageReads = {
  find(projectId: number, pageId: number): Promise<FoundPage | null>
  /** In the order of their ids, from `offset` on; at most `limit`. */
  list(projectId: number, runId: number, window: Window): Promise<PageItem[]>
  /** The same in pieces, so that a long list needs no more memory than a short one. */
  pieces(projectId: number, runId: number, window: Window): AsyncGenerator<PageItem[]>
}

type ItemRow = { id: number; url: string; status: number; bytes: number; fetched_at: Date }
type Row = ItemRow & { run_id: number; url_key: string; content_hash: string; content_type: string | null }

const onePage = `select id, url, status, bytes, fetched_at, run_id, url_key, content_hash, content_type
  from read.page where id = $1 and project_id = $2`

const pagesOfRun = `select id, url, status, bytes, fetched_at from read.page
  where run_id = $1 and project_id = $2 and id > $3
  order by id limit $4 offset $5`

/** Items in a piece of a list. */
export const pieceLength = 1_000

export const openPageReads = (pool: Database['pool']): PageReads => ({
  async find(projectId, pageId) {
    const { rows } = await pool.query<Row>({ name: 'page', text: onePage, values: [pageId, projectId] })
    return rows[0] ? pageOf(rows[0]) : null
  },

  list: (projectId, runId, { limit, offset }) => listAfter(pool, [runId, projectId, 0, limit, offset]),

  async *pieces(projectId, runId, { limit, offset }) {
    let after = 0
    for (let left = limit; left > 0; left -= pieceLength) {
      const length = Math.min(left, pieceLength)
      const items = await listAfter(pool, [runId, projectId, after, length, after === 0 ? offset : 0])
      yield items
      if (items.length < length) return
      after = items.at(-1)?.id ?? after
    }
  },
})

async function listAfter(pool: Database['pool'], values: number[]): Promise<PageItem[]> {
  const { rows } = await pool.query<ItemRow>({ name: 'pages', text: pagesOfRun, values })
  return rows.map(itemOf)
}

const itemOf = ({ id, url, status, bytes, fetched_at }: ItemRow): PageItem => ({
  id,
  url,
  status,
  bytes,
  fetched_at: fetched_at.toISOString(),
})

const pageOf = (row: Row): FoundPage => ({
  ...itemOf(row),
  runId: row.run_id,
  urlKey: row.url_key,
  contentHash: row.content_hash,
  contentType: row.content_type,
})
