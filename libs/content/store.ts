/**
 * Reads and writes the content store. Only the extractor writes. The bytes of a body are in its row, or in an object
 * whose name the row contains. New bodies go to the configured store, and each body is read from its own store, so
 * both kinds coexist.
 */
import type { Pool } from 'pg'
import { encodingsIn } from './body.ts'
import { storeInObjects } from './in-objects.ts'
import { BodyMissing, type Objects } from './objects.ts'
import {
  distinctBodies,
  latestOfEach,
  maxPagesPerStatement,
  type StoredPage,
  storeStatement,
} from './statements.ts'
import type { Transaction } from './transaction.ts'

export type Encoded = {
  /** Content codings of `body` in the order applied. */
  encodings: string[]
  body: Buffer
}

export type PageContent = {
  /** SHA-256 in lower-case hex, or null if the run kept no body. */
  bodyHash: string | null
  /** Content codings of `body` in the order applied. */
  encodings: string[]
  charset: string | null
  contentType: string | null
  metadata: unknown
  /** A line `name: value` per field of the response, for `headersIn`; null: the run kept no body, or none are stored. */
  headers: string | null
  body: Buffer | null
}

/** A page with everything that is stored of it, packed as it is stored. */
export type PackedPage = Omit<PageContent, 'metadata' | 'headers'> & {
  /** JSON text. */
  metadata: string
  /** For `decodeEdges`. */
  edges: Buffer
}

export type Content = {
  /**
   * Stores pages and bodies. Repeating the call changes nothing. Rejects with the errors of `pg`, and for bodies in
   * objects with `BodiesAway` and `BodyTooLarge`.
   */
  storePages(pages: readonly StoredPage[]): Promise<void>
  /**
   * Returns a page of a run with its encoded body, or null if it is not stored. Also rejects with `BodiesAway` and
   * `BodyMissing`.
   */
  readPage(runId: number, urlKey: string): Promise<PageContent | null>
  /** Does the same as `readPage`, and leaves unpacking to the caller. */
  readPacked(runId: number, urlKey: string): Promise<PackedPage | null>
  /** Returns the screenshot of a page with its content codings, or null if it has none. Also rejects with `BodiesAway`. */
  readPicture(runId: number, urlKey: string): Promise<Encoded | null>
}

/** Store of the bodies that are not in their rows. */
export type ObjectBodies = {
  objects: Objects
  /** If set, new bodies are put there too. */
  transaction?: Transaction
}

/** Returns an SQL condition: the body of the page is stored. `table` has the page's `run_id` and `url_key`. */
export const hasBody = (table: string): string =>
  `exists (select from content.page kept
    where kept.run_id = ${table}.run_id and kept.url_key = ${table}.url_key and kept.body_hash is not null)`

type PageRow = {
  body_hash: Buffer | null
  encodings: string | null
  charset: string | null
  content_type: string | null
  metadata: string
  headers?: string | null
  edges?: Buffer
  data: Buffer | null
  object: string | null
}

type Client = Pick<Pool, 'query'>

/**
 * Opens the content store.
 * @param objectBodies Store of objects. Without it, new bodies are stored in their rows, and bodies in objects cannot be
 * read.
 */
export const openContent = (pool: Client, objectBodies?: ObjectBodies): Content => ({
  storePages: objectBodies?.transaction
    ? storeInObjects(
        { pool, transaction: objectBodies.transaction, objects: objectBodies.objects },
        pagesInObjects,
      )
    : pages => storeInRows(pool, pages),

  async readPage(runId, urlKey) {
    const row = await withBytes(() => pageRow(pool, runId, urlKey), objectBodies)
    return row && contentOf(row)
  },

  async readPacked(runId, urlKey) {
    const row = await withBytes(() => pageRow(pool, runId, urlKey, true), objectBodies)
    return row && packedOf(row)
  },

  async readPicture(runId, urlKey) {
    return encodedOf(await withBytes(() => pictureRow(pool, runId, urlKey), objectBodies))
  },
})

const pagesInObjects = { latestOfEach, bodiesOf: distinctBodies, statement: storeStatement }

async function storeInRows(pool: Client, pages: readonly StoredPage[]): Promise<void> {
  for (let at = 0; at < pages.length; at += maxPagesPerStatement)
    await pool.query(storeStatement(latestOfEach(pages.slice(at, at + maxPagesPerStatement))))
}

type Kept = { data: Buffer | null; object: string | null }

/** Reads a row, and the bytes of its object if it has one. */
async function withBytes<Row extends Kept>(
  readRow: () => Promise<Row | null>,
  objectBodies: ObjectBodies | undefined,
): Promise<Row | null> {
  // The object may have been swept since its row was read. Then its page was deleted too, or has another body.
  let missing: string | null = null
  for (;;) {
    const row = await readRow()
    if (row === null || row.object === null) return row
    if (objectBodies === undefined)
      throw new Error(
        `${row.object} is stored in S3, and S3_ENDPOINT is not set. Set it for all services that read bodies.`,
      )
    if (row.object === missing) throw new BodyMissing(`${missing} is missing in the store of bodies.`)
    const data = await objectBodies.objects.get(row.object)
    if (data !== null) return { ...row, data }
    missing = row.object
  }
}

type BodyRow = Kept & { encodings: string | null }

/** Returns the body with this hash, or null if it is not stored. Rejects like `Content.readPage`. */
export async function readEncoded(
  pool: Client,
  hash: Buffer,
  objectBodies: ObjectBodies | undefined,
): Promise<Encoded | null> {
  const text = 'select encodings, data, object from content.body where hash = $1'
  const readRow = async () => (await pool.query<BodyRow>(text, [hash])).rows[0] ?? null
  return encodedOf(await withBytes(readRow, objectBodies))
}

function encodedOf(row: BodyRow | null): Encoded | null {
  if (row === null || row.data === null) return null
  return { encodings: encodingsIn(row.encodings), body: row.data }
}

async function pictureRow(pool: Client, runId: number, urlKey: string): Promise<BodyRow | null> {
  const { rows } = await pool.query<BodyRow>(
    `select body.encodings, body.data, body.object
    from content.picture join content.body on body.hash = picture.body_hash
    where run_id = $1 and url_key = $2`,
    [runId, urlKey],
  )
  return rows[0] ?? null
}

async function pageRow(
  pool: Client,
  runId: number,
  urlKey: string,
  withEdges = false,
): Promise<PageRow | null> {
  const { rows } = await pool.query<PageRow>(
    `select page.body_hash, body.encodings, page.charset, page.content_type, page.metadata, body.data, body.object
      , ${withEdges ? 'page.edges' : 'page.headers'}
    from content.page left join content.body on body.hash = page.body_hash
    where run_id = $1 and url_key = $2`,
    [runId, urlKey],
  )
  return rows[0] ?? null
}

const contentOf = (row: PageRow): PageContent => {
  const { edges: _, metadata, ...rest } = packedOf(row)
  return { ...rest, metadata: JSON.parse(metadata), headers: row.headers ?? null }
}

const packedOf = (row: PageRow): PackedPage => ({
  bodyHash: row.body_hash?.toString('hex') ?? null,
  encodings: encodingsIn(row.encodings),
  charset: row.charset,
  contentType: row.content_type,
  metadata: row.metadata,
  edges: row.edges ?? Buffer.alloc(0),
  body: row.data,
})
