/** Reads the stored content of many pages of a run at once, for readers of whole runs. */
import type { Pool } from 'pg'
import { encodingsIn } from './body.ts'
import { forEachConcurrently } from './objects.ts'
import { type ObjectBodies, openContent } from './store.ts'

/** Parts that cost a read. The others are null. */
export type StoredParts = {
  body: boolean
  edges: boolean
  metadata: boolean
  headers: boolean
  /**
   * Maximum bytes of a body and of metadata. Larger ones are null, and so are bodies of pages with larger metadata, and
   * bodies in objects. Default: no limit.
   */
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
    case when $3 and body.object is null
      and ($7::int is null or greatest(octet_length(body.data), octet_length(page.metadata)) <= $7)
      then body.data end as body,
    case when $3 and $7::int is null then body.object end as object,
    case when $4 then page.edges end as edges,
    case when $5 and ($7::int is null or octet_length(page.metadata) <= $7) then page.metadata end as metadata,
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
  encodings: encodingsIn(encodings),
  body,
  edges,
  metadata,
  headers,
})

/** Maximum bytes of metadata in memory at once. The metadata of a single page may exceed them. */
const maxMetadataBytes = 4 * 1024 ** 2

type MetadataRow = { url_key: string; bytes: number; metadata: string | null }

/** Selects the metadata of pages, or only its sizes if it exceeds the limit. */
const metadataOrSizes = `
  select url_key, bytes,
    case when sum(bytes) over () <= ${maxMetadataBytes} or count(*) over () = 1 then metadata end as metadata
  from (
    select url_key, octet_length(metadata) as bytes, metadata from content.page where run_id = $1 and url_key = any($2)
  ) as stored`

/**
 * Yields the metadata of pages of a run, one for each key in their order; undefined: the page is not stored. A few
 * megabytes are in memory at once, because a single page may have as many. Rejects with the errors of `pg`.
 */
export async function* readMetadata(
  pool: Pick<Pool, 'query'>,
  runId: number,
  urlKeys: readonly string[],
): AsyncGenerator<unknown> {
  if (urlKeys.length === 0) return
  const { rows } = await pool.query<MetadataRow>(metadataOrSizes, [runId, urlKeys])
  const stored = new Map(rows.map(row => [row.url_key, row]))
  if (rows[0]?.metadata === null) {
    const sizeOf = (key: string) => stored.get(key)?.bytes ?? 0
    for (const keys of slicesOf(urlKeys, sizeOf)) yield* readMetadata(pool, runId, keys)
  } else
    for (const key of urlKeys) {
      const metadata = stored.get(key)?.metadata ?? null
      yield metadata === null ? undefined : JSON.parse(metadata)
    }
}

/** Cuts the list into slices within the limit. A page with more bytes is alone, with pages that are not stored. */
function* slicesOf(urlKeys: readonly string[], sizeOf: (urlKey: string) => number): Generator<string[]> {
  let slice: string[] = []
  let bytes = 0
  for (const key of urlKeys) {
    const size = sizeOf(key)
    if (bytes > 0 && size > 0 && bytes + size > maxMetadataBytes) {
      yield slice
      slice = []
      bytes = 0
    }
    slice.push(key)
    bytes += size
  }
  yield slice
}
