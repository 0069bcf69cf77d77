/** The only door to the content store: the extractor writes through it, and whoever shows a page reads. */
import type { Pool } from 'pg'
import { decodeEdges, type Edge } from './edges.ts'
import { maxPagesPerStatement, type StoredPage, storeStatement } from './statements.ts'

export type PageContent = {
  /** SHA-256 in lower-case hex; null where the run kept no body. */
  bodyHash: string | null
  /** Content codings of `body` in the order applied. */
  encodings: string[]
  charset: string | null
  contentType: string | null
  metadata: unknown
  body: Buffer | null
}

export type Content = {
  /** Stores pages and bodies; storing them again changes nothing. Throws what `pg` throws. */
  storePages(pages: readonly StoredPage[]): Promise<void>
  /** A page of a run with its body still encoded, or null if it is not stored. */
  readPage(runId: number, urlKey: string): Promise<PageContent | null>
  /** What pages of a run say of themselves, by URL key; those that are not stored are not there. */
  readMetadata(runId: number, urlKeys: readonly string[]): Promise<Map<string, unknown>>
  /** Its links in the order of the page, or null if it is not stored. */
  readEdges(runId: number, urlKey: string): Promise<Edge[] | null>
}

type PageRow = {
  body_hash: Buffer | null
  encodings: string | null
  charset: string | null
  content_type: string | null
  metadata: string
  data: Buffer | null
}

export const openContent = (pool: Pick<Pool, 'query'>): Content => ({
  async storePages(pages) {
    for (let at = 0; at < pages.length; at += maxPagesPerStatement) {
      await pool.query(storeStatement(pages.slice(at, at + maxPagesPerStatement)))
    }
  },

  async readPage(runId, urlKey) {
    const { rows } = await pool.query<PageRow>(
      `select page.body_hash, body.encodings, page.charset, page.content_type, page.metadata, body.data
      from content.page left join content.body on body.hash = page.body_hash
      where run_id = $1 and url_key = $2`,
      [runId, urlKey],
    )
    return rows[0] ? contentOf(rows[0]) : null
  },

  async readMetadata(runId, urlKeys) {
    const { rows } = await pool.query<{ url_key: string; metadata: string }>(
      'select url_key, metadata from content.page where run_id = $1 and url_key = any($2)',
      [runId, urlKeys],
    )
    return new Map(rows.map(row => [row.url_key, JSON.parse(row.metadata)]))
  },

  async readEdges(runId, urlKey) {
    const { rows } = await pool.query<{ edges: Buffer }>(
      'select edges from content.page where run_id = $1 and url_key = $2',
      [runId, urlKey],
    )
    return rows[0] ? decodeEdges(rows[0].edges) : null
  },
})

const contentOf = (row: PageRow): PageContent => ({
  bodyHash: row.body_hash?.toString('hex') ?? null,
  encodings: row.encodings ? row.encodings.split(',') : [],
  charset: row.charset,
  contentType: row.content_type,
  metadata: JSON.parse(row.metadata),
  body: row.data,
})
