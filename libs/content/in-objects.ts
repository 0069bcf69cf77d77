/**
 * Stores rows with bodies, such as pages, in an object store. Bytes are stored first, rows afterwards:
 *
 * 1. Names are announced in `content.object` for bodies without a row.
 * 2. An object is put under each name, once.
 * 3. One transaction, under the lock that the sweeper of bodies waits for, links rows to bodies and bodies to their
 * names. These names are then no longer announced.
 *
 * A row therefore never exists without its body. A process that dies after step 1 or 2 leaves an announced name,
 * with or without an object. After an hour the sweeper removes both. If two processes put the same body, one is kept:
 * the name that no row uses is swept immediately.
 *
 * Two things may disappear between steps 2 and 3, and step 3 checks both under its locks: a body that had a row in
 * step 1, if its last row was deleted; and a name that was announced for so long that the sweeper has marked it for
 * deletion. Then nothing is written, and such bodies are put again under another name.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Body } from './body.ts'
import { BodiesAway, BodyTooLarge, forEachConcurrently, nameFor, type Objects } from './objects.ts'
import { maxPagesPerStatement, type NamedBody, type Statement } from './statements.ts'
import { lockOfBodies } from './sweeping.ts'
import type { Transaction } from './transaction.ts'

type Client = Pick<Pool, 'query'>
type Ports = { pool: Client; transaction: Transaction; objects: Objects }

/** Rows that have bodies, and how they are stored. */
export type RowKind<Row> = {
  /** Returns the latest version of each row in the order in which they are stored. */
  latestOfEach(rows: readonly Row[]): Row[]
  bodiesOf(rows: readonly Row[]): Body[]
  /** Returns the statement that stores the rows, and these bodies. All other bodies exist already. */
  statement(rows: readonly Row[], bodies: readonly NamedBody[]): Statement
}

/** Bodies that were put, by hash. */
type Put = Map<string, NamedBody>

/** Lifetime of an announced name: far longer than any process takes from step 1 to step 3. */
const announcementLifetime = '1 hour'
/** Maximum attempts of which none puts a body. After that, the caller retries or waits. */
const maxRounds = 3
const pauseMs = 200

/**
 * Returns a function that stores rows of this kind. It rejects with `BodiesAway`, with `BodyTooLarge`, or with the errors of
 * `pg`. Then nothing is stored, and the call may be repeated.
 */
export function storeInObjects<Row>(
  { pool, transaction, objects }: Ports,
  { latestOfEach, bodiesOf, statement }: RowKind<Row>,
) {
  // While the store is unavailable, no more names are announced: each attempt probes the store first.
  let wasAway = false

  return async (rows: readonly Row[]): Promise<void> => {
    for (let at = 0; at < rows.length; at += maxPagesPerStatement)
      await storeSome(latestOfEach(rows.slice(at, at + maxPagesPerStatement)))
  }

  async function storeSome(rows: readonly Row[]): Promise<void> {
    const bodies = bodiesOf(rows)
    if (bodies.length === 0) return void (await pool.query(statement(rows, [])))
    if (wasAway) await objects.probe()
    wasAway = false
    const put: Put = new Map()
    let failure: unknown = new BodiesAway('bodies were deleted repeatedly while their rows were stored')
    for (let round = 1; round <= maxRounds; round++) {
      if (round > 1) await sleep(pauseMs)
      const before = put.size
      const fault = await putLacking(
        bodies.filter(body => !put.has(keyOf(body.hash))),
        put,
      )
      if (fault instanceof BodyTooLarge) throw fault
      if (fault === null) {
        if (await transaction(client => storeRows(client, ours => statement(rows, ours), bodies, put))) return
      } else {
        failure = fault
        if (put.size > before) round = 0 // a slow store takes some bodies before the others are too late
      }
    }
    wasAway = true
    throw failure
  }

  /** Returns null, or the reason why not all missing bodies could be put. */
  async function putLacking(bodies: readonly Body[], put: Put): Promise<unknown> {
    const named = await announce(bodies)
    const { done, failure } = await forEachConcurrently(named, ({ name, body }) =>
      objects.put(name, body.data),
    )
    for (const one of done) put.set(keyOf(one.body.hash), one)
    return failure
  }

  /** Announces names for the bodies without a row, and returns those bodies with their names. */
  async function announce(bodies: readonly Body[]): Promise<NamedBody[]> {
    if (bodies.length === 0) return []
    const named = bodies.map(body => ({ body, name: nameFor(body.hash) }))
    const { rows } = await pool.query<{ name: string }>(announcing, [
      bodies.map(({ hash }) => hash),
      named.map(({ name }) => name),
    ])
    const announced = new Set(rows.map(({ name }) => name))
    return named.filter(({ name }) => announced.has(name))
  }
}

/** Returns false, and writes nothing, if a body has to be put again. Such bodies are removed from `put`. */
async function storeRows(
  client: Client,
  statement: (bodies: readonly NamedBody[]) => Statement,
  bodies: readonly Body[],
  put: Put,
): Promise<boolean> {
  // Bodies that exist after this lock stay until the end of this transaction.
  await client.query('select pg_advisory_xact_lock_shared($1)', [lockOfBodies])
  const named = [...put.values()]
  const names = named.map(({ name }) => name)
  const { rows: announced } = await client.query<{ name: string }>(stillAnnounced, [names])
  const hashes = bodies.map(({ hash }) => hash)
  const { rows: there } = await client.query<{ hash: Buffer }>(
    'select hash from content.body where hash = any($1)',
    [hashes],
  )
  const good = new Set(announced.map(({ name }) => name))
  const kept = new Set(there.map(({ hash }) => keyOf(hash)))
  for (const [key, { name }] of put) if (!good.has(name)) put.delete(key)
  if (hashes.some(hash => !put.has(keyOf(hash)) && !kept.has(keyOf(hash)))) return false
  const ours = named.filter(({ name }) => good.has(name))
  await client.query(statement(ours))
  if (ours.length > 0)
    await client.query(settle, [ours.map(({ body }) => body.hash), ours.map(({ name }) => name)])
  return true
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

const announcing = `
  insert into content.object (name, sweep_at)
  select wanted.name, now() + interval '${announcementLifetime}' from unnest($1::bytea[], $2::text[]) as wanted (hash, name)
  where not exists (select from content.body where body.hash = wanted.hash)
  returning name`

/** Names are locked in one order, so that no two transactions deadlock. */
const stillAnnounced =
  'select name from content.object where name = any($1) and not doomed order by name for update'

/** Names that a row uses are no longer announced. All others are swept now. */
const settle = `
  with put as (select * from unnest($1::bytea[], $2::text[]) as put (hash, name)),
  taken as (
    delete from content.object using put join content.body on body.hash = put.hash and body.object = put.name
    where object.name = put.name
    returning object.name
  )
  update content.object set sweep_at = now() from put
  where object.name = put.name and put.name not in (select name from taken)`
