/**
 * Builds the statement that stores many pages with their bodies. Its text is the same for any number of pages, so
 * Postgres parses and plans it once for a connection. With a text for each number of rows, that took half of the time.
 * Rows are sorted by their keys, so that two writers of the same rows queue up instead of deadlocking.
 */
import { bytesArray, textArray } from './binary-array.ts'
import type { Body } from './body.ts'

export type StoredPage = {
  runId: number
  urlKey: string
  /** null if the run does not keep bodies. */
  body: Body | null
  charset: string | null
  contentType: string | null
  /** JSON text. */
  metadata: string
  edges: Buffer
  /** Header fields of the response, a line `name: value` each. */
  headers?: string
  /** JSON of `Revisit`. It is missing if no later run may copy the page. */
  revisit?: string
}

/** Returns the names and values of the stored header fields of a response. */
export const headersIn = (lines: string): [name: string, value: string][] =>
  lines.split('\n').flatMap(line => {
    const at = line.indexOf(': ')
    return at > 0 ? [[line.slice(0, at), line.slice(at + 2)] satisfies [string, string]] : []
  })

/** `name` is that of a prepared statement. */
export type Statement = { name: string; text: string; values: unknown[] }

/** A body whose bytes are in an object of this name. */
export type NamedBody = { body: Body; name: string }

/** Maximum pages of a statement, so that its size is bounded. */
export const maxPagesPerStatement = 5_000

/**
 * Returns the statement that stores all pages and bodies, or none. A known page is replaced, a known body is
 * unchanged.
 * @param rows As `latestOfEach` returns them.
 * @param inObjects Bodies to store whose bytes are in objects. All other bodies exist already.
 */
export function storeStatement(rows: readonly StoredPage[], inObjects?: readonly NamedBody[]): Statement {
  const { last, values } = inObjects ? namedBodies(inObjects) : storedBodies(distinctBodies(rows))
  return {
    name: `store pages with bodies as ${last}`,
    text: texts[last],
    values: [
      ...values,
      rows.map(({ runId }) => runId),
      textArray(rows.map(({ urlKey }) => urlKey)),
      bytesArray(rows.map(({ body }) => body?.hash ?? null)),
      textArray(rows.map(({ charset }) => charset)),
      textArray(rows.map(({ contentType }) => contentType)),
      textArray(rows.map(({ metadata }) => metadata)),
      bytesArray(rows.map(({ edges }) => edges)),
      textArray(rows.map(({ revisit }) => revisit ?? null)),
      textArray(rows.map(({ headers }) => headers ?? null)),
    ],
  }
}

/** The parameters of `bodiesStored`. */
type BodyValues = { last: 'data' | 'object'; values: unknown[] }

/** Returns the parameters that store bodies with their bytes. */
export const storedBodies = (bodies: readonly Body[]): BodyValues => valuesOf('data', bodies)

/** Returns the parameters that store bodies with the names of their objects. */
export const namedBodies = (bodies: readonly NamedBody[]): BodyValues =>
  valuesOf('object', inOrder(bodies.map(withoutBytes)))

const valuesOf = (last: BodyValues['last'], bodies: readonly BodyRow[]): BodyValues => ({
  last,
  values: [
    bytesArray(bodies.map(({ hash }) => hash)),
    textArray(bodies.map(({ encodings }) => encodings.join(','))),
    bodies.map(({ size }) => size),
    (last === 'object' ? textArray : bytesArray)(bodies.map(({ data }) => data)),
  ],
})

/** A row as written. If the bytes are in an object, its name replaces them. */
type BodyRow = Omit<Body, 'data'> & { data: Buffer | string }
const withoutBytes = ({ body, name }: NamedBody): BodyRow => ({ ...body, data: name })

/** Returns the first part of a statement, which stores bodies from its first four parameters. */
export const bodiesStored = (last: 'data' | 'object'): string => `with kept as (
    insert into content.body (hash, encodings, size, ${last})
    select * from unnest($1::bytea[], $2::text[], $3::int[], $4::${last === 'data' ? 'bytea' : 'text'}[])
    on conflict (hash) do nothing
  )`

const storing = (last: 'data' | 'object') => `${bodiesStored(last)}
  insert into content.page (run_id, url_key, body_hash, charset, content_type, metadata, edges, revisit, headers)
  select * from unnest($5::bigint[], $6::text[], $7::bytea[], $8::text[], $9::text[], $10::text[], $11::bytea[],
    $12::text[], $13::text[])
  on conflict (run_id, url_key) do update set
    body_hash = excluded.body_hash, charset = excluded.charset, content_type = excluded.content_type,
    metadata = excluded.metadata, edges = excluded.edges, revisit = excluded.revisit,
    headers = excluded.headers`

const texts = { data: storing('data'), object: storing('object') }

/** Returns the latest version of each page, because a statement must not change one row twice. */
export function latestOfEach(pages: readonly StoredPage[]): StoredPage[] {
  const latest = new Map(pages.map(page => [`${page.runId}:${page.urlKey}`, page]))
  return [...latest.values()].sort(
    (a, b) => a.runId - b.runId || Buffer.compare(Buffer.from(a.urlKey), Buffer.from(b.urlKey)),
  )
}

/** Returns the distinct bodies in the order in which they are stored. */
export function distinctBodies(pages: readonly Pick<StoredPage, 'body'>[]): Body[] {
  const bodies = new Map<string, Body>()
  for (const { body } of pages) if (body) bodies.set(body.hash.toString('latin1'), body)
  return inOrder([...bodies.values()])
}

const inOrder = <Row extends { hash: Buffer }>(bodies: Row[]): Row[] =>
  bodies.sort((a, b) => Buffer.compare(a.hash, b.hash))
