/** Reads the stored content of many pages of a run at once, for readers of whole runs. */
import type { Pool } from 'pg'
import { forEachConcurrently } from './objects.ts'
import { type ObjectBodies, openContent } from './store.ts'

/** Parts that cost a read. The others are null. */
export type StoredParts = {
  body: boolean
  edges: boolean
  metadata: boolean
  headers: boolean
  /** Larger bodies, and those in objects, are null. Default: no limit. */
  maxBodyBytes?: number
}

export type BatchedPage = {
  contentType: string | null
  /** Content codings of `body` in the order applied. */
  encodings: string[]
  /** Null also if the run kept no body. */
  body: Buffer | null
  /** Packed links (`edges.ts`). */
  edges: Buffer | null
  /** JSON text. */
  metadata: string | null
  /** A line `name: value` for each header field of the response. */
  headers: string | null
}

/** Returns the pages by URL key, without those that are not stored. The caller bounds the size of their bodies. */
export type ReadPageBatch = (
  runId: number,
  urlKeys: readonly string[],
  parts: StoredParts,
) => Promise<Map<string, BatchedPage>>

type Row = Omit<BatchedPage, 'encodings' | 'contentType'> & {
  url_key: string
  content_type: string | null
  encodings: string | null
  object: string | null
}

const batch = `
  select page.url_key, page.content_type, body.encodings,
    case when $3 and ($7::int is null or octet_length(body.data) <= $7) then body.data end as body,
    case when $3 and $7::int is null then body.object end as object,
    case when $4 then page.edges end as edges, case when $5 then page.metadata end as metadata,
    case when $6 then page.headers end as headers
  from content.page left join content.body on $3 and body.hash = page.body_hash
  where run_id = $1 and url_key = any($2)`

/** Calls reject with the errors of `pg` and, for bodies in objects, of `Content.readPage`. */
export function openPageBatches(pool: Pick<Pool, 'query'>, objectBodies?: ObjectBodies): ReadPageBatch {
  const { readPage } = openContent(pool, objectBodies)
  return async (runId, urlKeys, { body, edges, metadata, headers, maxBodyBytes }) => {
    const { rows } = await pool.query<Row>({
      name: 'page-batch',
      text: batch,
      values: [runId, urlKeys, body, edges, metadata, headers, maxBodyBytes ?? null],
    })
    const inObjects = rows.filter(({ object }) => object !== null)
    const { failure } = await forEachConcurrently(inObjects, async row => {
      row.body = (await readPage(runId, row.url_key))?.body ?? null
    })
    if (failure !== null) throw failure
    return new Map(rows.map(row => [row.url_key, pageOf(row)]))
  }
}

const pageOf = ({ content_type, encodings, body, edges, metadata, headers }: Row): BatchedPage => ({
  contentType: content_type,
  encodings: encodings ? encodings.split(',') : [],
  body,
  edges,
  metadata,
  headers,
})
