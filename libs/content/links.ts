/** Counts or reads the links of many pages of a run at once. */
import type { Pool } from 'pg'
import { headBytes } from './edge-counts.ts'
import { countWithin, decodeEdges, type Edge, extentOf } from './edges.ts'

/** A page's key in the content store, and its URL in normal form. */
export type PageName = { urlKey: string; url: string }

export type Links = {
  /** Returns whether the run keeps bodies, or true if it has no page yet. */
  keepsBodies(runId: number): Promise<boolean>
  /**
   * Returns the number of links that `edgesWithin` returns for each page, or 0 if a page is not stored; null if only
   * `read` can show it.
   */
  count(runId: number, pages: readonly PageName[], wideScope: string | null): Promise<(number | null)[]>
  /**
   * Returns all links of each page in order. Each page is decoded when the iterator reaches it. The list is empty if
   * a page is not stored.
   */
  read(runId: number, pages: readonly PageName[]): Promise<Iterable<Edge[]>>
}

type Client = Pick<Pool, 'query'>
type Row = { url_key: string; edges: Buffer }

/** Opens the links. All calls reject with the errors of `pg`. */
export function openLinks(pool: Client): Links {
  return {
    async read(runId, pages) {
      const blobs = await blobsOf(pool, 'edges', runId, pages)
      return blobs.values().map(decodeEdges)
    },

    async keepsBodies(runId) {
      const { rows } = await pool.query<{ keeps: boolean }>(
        'select body_hash is not null as keeps from content.page where run_id = $1 limit 1',
        [runId],
      )
      return rows[0]?.keeps ?? true
    },

    async count(runId, pages, wideScope) {
      const heads = await blobsOf(pool, `substring(edges from 1 for ${headBytes})`, runId, pages)
      return pages.map((page, n) => countWithin(heads[n] ?? nothing, extentOf(page.url, wideScope)))
    },
  }
}

/**
 * Returns a part of the blob of each page, in order. Postgres stores blobs uncompressed, so a part costs only its own
 * size.
 */
async function blobsOf(
  pool: Client,
  part: string,
  runId: number,
  pages: readonly PageName[],
): Promise<Buffer[]> {
  const keys = pages.map(({ urlKey }) => urlKey)
  const { rows } = await pool.query<Row>(
    `select url_key, ${part} as edges from content.page where run_id = $1 and url_key = any($2)`,
    [runId, keys],
  )
  const found = new Map(rows.map(({ url_key, edges }) => [url_key, edges]))
  return keys.map(key => found.get(key) ?? nothing)
}

const nothing = Buffer.alloc(0)
