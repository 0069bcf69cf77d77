/**
 * Data that a run may take from an earlier run: validators of pages, and pages that are unchanged according to their
 * origin. Such a page is copied by name within the database: its body is the same row.
 */
import type { Pool } from 'pg'
import { lockOfBodies } from './sweeping.ts'
import type { Transaction } from './transaction.ts'

/** Stored with a page that has validators: data for a later run that no other column has. */
export type Revisit = {
  /** As sent by the origin; at least one. */
  etag: string | null
  lastModified: string | null
  /** Bytes of body that the origin sent. */
  sent: number
  /** Bytes of body when decoded. */
  bytes: number
  contentHash: string
  rawHash: string
  likeness: string | null
  /** Normal forms that the page wants visited beside its links. */
  beyond?: string[]
  /** Its links are not to be followed. */
  silent?: true
}

export type PageCopy = {
  runId: number
  urlKey: string
  /** The run that has it. */
  since: number
  /** Whether the run keeps bodies. */
  keepsBody: boolean
}

export type CopiedPage = {
  contentType: string | null
  /** JSON. */
  metadata: string
  edges: Buffer
  revisit: Revisit
}

type Client = Pick<Pool, 'query'>

/**
 * Returns the validators of a run's pages with these URL keys. A page that cannot be copied is left out.
 * @param keepsBodies whether the caller needs the bodies
 */
export async function readRevisits(
  pool: Client,
  runId: number,
  urlKeys: readonly string[],
  keepsBodies: boolean,
): Promise<Map<string, Revisit>> {
  const { rows } = await pool.query<{ url_key: string; revisit: string }>(
    `select url_key, revisit from content.page
     where run_id = $1 and url_key = any($2) and revisit is not null and (body_hash is not null or not $3)`,
    [runId, urlKeys, keepsBodies],
  )
  return new Map(rows.map(row => [row.url_key, JSON.parse(row.revisit)]))
}

type Row = { run_id: number | string; url_key: string; content_type: string | null } & {
  metadata: string
  edges: Buffer
  revisit: string
}

/**
 * Copies pages from earlier runs, each once, and gives those that were there, by `nameOfCopy`: one whose run or body
 * has gone meanwhile is left out. Repeating it changes nothing.
 */
export async function copyPages(
  transaction: Transaction,
  copies: readonly PageCopy[],
): Promise<Map<string, CopiedPage>> {
  const wanted = [...new Map(copies.map(copy => [nameOfCopy(copy), copy])).values()]
  if (wanted.length === 0) return new Map()
  const rows = await transaction(async client => {
    // The sweeper waits for this, and the next statement sees what it has left: no page gets a body that goes.
    await client.query('select pg_advisory_xact_lock_shared($1)', [lockOfBodies])
    const { rows } = await client.query<Row>(copy, [
      wanted.map(({ runId }) => runId),
      wanted.map(({ urlKey }) => urlKey),
      wanted.map(({ since }) => since),
      wanted.map(({ keepsBody }) => keepsBody),
    ])
    return rows
  })
  return new Map(rows.map(row => [`${row.run_id}:${row.url_key}`, copiedOf(row)]))
}

/** Of a page of a run, among those that were copied. */
export const nameOfCopy = ({ runId, urlKey }: Pick<PageCopy, 'runId' | 'urlKey'>): string =>
  `${runId}:${urlKey}`

/** In the order in which pages are stored, so that two writers of the same rows queue up. */
const copy = `
  insert into content.page (run_id, url_key, body_hash, charset, content_type, metadata, edges, revisit)
  select wanted.run_id, page.url_key, case when wanted.keeps_body then page.body_hash end,
    page.charset, page.content_type, page.metadata, page.edges, page.revisit
  from unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[]) as wanted (run_id, url_key, since, keeps_body)
  join content.page on page.run_id = wanted.since and page.url_key = wanted.url_key
  where page.revisit is not null
    and (not wanted.keeps_body or exists (select from content.body where body.hash = page.body_hash))
  order by wanted.run_id, page.url_key
  on conflict (run_id, url_key) do update set
    body_hash = excluded.body_hash, charset = excluded.charset, content_type = excluded.content_type,
    metadata = excluded.metadata, edges = excluded.edges, revisit = excluded.revisit
  returning run_id, url_key, content_type, metadata, edges, revisit`

const copiedOf = ({ content_type, metadata, edges, revisit }: Row): CopiedPage => ({
  contentType: content_type,
  metadata,
  edges,
  revisit: JSON.parse(revisit),
})
