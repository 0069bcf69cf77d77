/**
 * Builds the statement that stores many pages with their bodies. Bytes are separate parameters, which are sent in
 * binary. Inside an array they would be sent as hex text and cost twice as much. Rows are sorted by their keys, so
 * that two writers of the same rows queue up instead of deadlocking.
 */
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

export type Statement = { text: string; values: unknown[] }

/** A body whose bytes are in an object of this name. */
export type NamedBody = { body: Body; name: string }

const bodyColumns = 4
const pageColumns = 9

/** Maximum pages of a statement, because the protocol counts parameters in 16 bits. */
export const maxPagesPerStatement = Math.floor(65_535 / (bodyColumns + pageColumns))

/**
 * Returns the statement that stores all pages and bodies, or none. A known page is replaced, a known body is
 * unchanged.
 * @param elsewhere Bodies to store whose bytes are in objects. All other bodies exist already.
 */
export function storeStatement(pages: readonly StoredPage[], elsewhere?: readonly NamedBody[]): Statement {
  const rows = latestOfEach(pages)
  const bodies = elsewhere ? inOrder(elsewhere.map(withoutBytes)) : distinctBodies(rows)
  const values = [
    ...bodies.flatMap(({ hash, encodings, size, data }) => [hash, encodings.join(','), size, data]),
    ...rows.flatMap(row => [
      row.runId,
      row.urlKey,
      row.body?.hash ?? null,
      row.charset,
      row.contentType,
      row.metadata,
      row.edges,
      row.revisit ?? null,
      row.headers ?? null,
    ]),
  ]
  const pagesText = insertPages(rows.length, bodies.length * bodyColumns)
  return bodies.length === 0
    ? { text: pagesText, values }
    : {
        text: `with kept as (${insertBodies(bodies.length, elsewhere ? 'object' : 'data')}) ${pagesText}`,
        values,
      }
}

/** A row as written. If the bytes are in an object, its name replaces them. */
type BodyRow = Omit<Body, 'data'> & { data: Buffer | string }
const withoutBytes = ({ body, name }: NamedBody): BodyRow => ({ ...body, data: name })

const insertBodies = (count: number, last: 'data' | 'object'): string =>
  `insert into content.body (hash, encodings, size, ${last}) values ${tuples(count, bodyColumns, 0)}
  on conflict (hash) do nothing`

const insertPages = (count: number, offset: number): string =>
  `insert into content.page (run_id, url_key, body_hash, charset, content_type, metadata, edges, revisit, headers)
  values ${tuples(count, pageColumns, offset)}
  on conflict (run_id, url_key) do update set
    body_hash = excluded.body_hash, charset = excluded.charset, content_type = excluded.content_type,
    metadata = excluded.metadata, edges = excluded.edges, revisit = excluded.revisit,
    headers = excluded.headers`

function tuples(rows: number, columns: number, offset: number): string {
  let next = offset
  const tuple = () => `(${Array.from({ length: columns }, () => `$${++next}`).join()})`
  return Array.from({ length: rows }, tuple).join()
}

/** Returns the latest version of each page, because a statement must not change one row twice. */
export function latestOfEach(pages: readonly StoredPage[]): StoredPage[] {
  const latest = new Map(pages.map(page => [`${page.runId}:${page.urlKey}`, page]))
  return [...latest.values()].sort(
    (a, b) => a.runId - b.runId || Buffer.compare(Buffer.from(a.urlKey), Buffer.from(b.urlKey)),
  )
}

/** Returns the distinct bodies in the order in which they are stored. */
export function distinctBodies(pages: readonly StoredPage[]): Body[] {
  const bodies = new Map<string, Body>()
  for (const { body } of pages) if (body) bodies.set(body.hash.toString('latin1'), body)
  return inOrder([...bodies.values()])
}

const inOrder = <Row extends { hash: Buffer }>(bodies: Row[]): Row[] =>
  bodies.sort((a, b) => Buffer.compare(a.hash, b.hash))
