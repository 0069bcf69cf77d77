/**
 * Reads and copies data that a run may reuse from an earlier one: validators of its pages, and a page itself if its
 * origin reports no change. Such a page is copied within the database, and shares the row of its body.
 */
import type { Pool } from 'pg'
import { lockOfBodies } from './sweeping.ts'
import type { Transaction } from './transaction.ts'

/** Data of a page with validators that no other column has and that a later run needs. */
export type Revisit = {
  /** Validators from the origin. At least one is not null. */
  etag: string | null
  lastModified: string | null
  /** Bytes of the body as sent by the origin. */
  sent: number
  /** Bytes of the decoded body. */
  bytes: number
  contentHash: string
  rawHash: string
  likeness: string | null
  /** The hash by the rules with this name (`nameOfRules`). Only HTML pages have a hash. */
  comparison?: { hash?: string; rules: string }
  /** Normal forms of URLs to visit in addition to the page's links. */
  beyond?: string[]
  /** Whether the page forbids following its links. */
  silent?: true
}

export type PageCopy = {
  runId: number
  urlKey: string
  /** Run with the original page. */
  since: number
  /** Whether the new run keeps bodies. */
  keepsBody: boolean
}

export type CopiedPage = {
  contentType: string | null
  /** JSON text. */
  metadata: string
  edges: Buffer
  revisit: Revisit
}

type Client = Pick<Pool, 'query'>

/**
 * Returns the validators of the pages of a run with these URL keys. Pages that cannot be copied are left out.
 * @param keepsBodies Whether the caller needs the bodies.
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

type Row = {
  run_id: number | string
  url_key: string
  content_type: string | null
  metadata: string
  edges: Buffer
  revisit: string
}

/**
 * Copies pages from earlier runs, each once, and returns the copied pages by `nameOfCopy`. Pages whose run or body
 * was deleted meanwhile are left out. Repeating the call changes nothing.
 */
export async function copyPages(
  transaction: Transaction,
  copies: readonly PageCopy[],
): Promise<Map<string, CopiedPage>> {
  const wanted = [...new Map(copies.map(copy => [nameOfCopy(copy), copy])).values()]
  if (wanted.length === 0) return new Map()
  const rows = await transaction(async client => {
    // The sweeper waits for this lock, and the next statement sees its results, so no page gets a body that is being
    // deleted.
    await client.query('select pg_advisory_xact_lock_shared($1)', [lockOfBodies])
    const { rows } = await client.query<Row>(copy, [
      wanted.map(({ runId }) => runId),
      wanted.map(({ urlKey }) => urlKey),
      wanted.map(({ since }) => since),
      wanted.map(({ keepsBody }) => keepsBody),
    ])
    return rows
  })
  return new Map(
    rows.map(row => [nameOfCopy({ runId: Number(row.run_id), urlKey: row.url_key }), copiedOf(row)]),
  )
}

/** Returns the key of a page of a run in the result of `copyPages`. */
export const nameOfCopy = ({ runId, urlKey }: Pick<PageCopy, 'runId' | 'urlKey'>): string =>
  `${runId}:${urlKey}`

/** Rows are in the order in which pages are stored, so that two writers of the same rows queue up. */
const copy = `
  insert into content.page (run_id, url_key, body_hash, charset, content_type, metadata, edges, revisit, headers)
  select wanted.run_id, page.url_key, case when wanted.keeps_body then page.body_hash end,
    page.charset, page.content_type, page.metadata, page.edges, page.revisit,
    case when wanted.keeps_body then page.headers end
  from unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[]) as wanted (run_id, url_key, since, keeps_body)
  join content.page on page.run_id = wanted.since and page.url_key = wanted.url_key
  where page.revisit is not null
    and (not wanted.keeps_body or exists (select from content.body where body.hash = page.body_hash))
  order by wanted.run_id, page.url_key
  on conflict (run_id, url_key) do update set
    body_hash = excluded.body_hash, charset = excluded.charset, content_type = excluded.content_type,
    metadata = excluded.metadata, edges = excluded.edges, revisit = excluded.revisit,
    headers = excluded.headers
  returning run_id, url_key, content_type, metadata, edges, revisit`

const copiedOf = ({ content_type, metadata, edges, revisit }: Row): CopiedPage => ({
  contentType: content_type,
  metadata,
  edges,
  revisit: JSON.parse(revisit),
})
