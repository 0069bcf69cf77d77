/**
 * Stores pages whose bodies are in an object store. Bytes first, rows afterwards:
 * 1. Announces names in `content.object` for bodies without a row.
 * 2. Puts each object once under its name.
 * 3. In one transaction, under the lock that the sweeper of bodies waits for, gives the pages their bodies and the
 * bodies their names, which ends the announcements.
 * So a page never exists without its body. A process that dies after 1 or 2 leaves an announced name, with or without
 * an object; the sweeper removes both after an hour. Of a body that two processes put at once, one object stays: the
 * name without a row is swept immediately.
 * Two things may disappear between 2 and 3, and 3 checks both under its locks: a body that had a row in 1, after the
 * deletion of its last page; and a name that was announced for so long that the sweeper has marked it for deletion.
 * Then nothing is written, and such bodies are put again under other names.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Body } from './body.ts'
import { BodiesAway, BodyTooLarge, inLanes, nameFor, type Objects } from './objects.ts'
import {
  distinctBodies,
  latestOfEach,
  maxPagesPerStatement,
  type StoredPage,
  storeStatement,
} from './statements.ts'
import { lockOfBodies } from './sweeping.ts'
import type { Transaction } from './transaction.ts'

type Client = Pick<Pool, 'query'>
type Ports = { pool: Client; transaction: Transaction; objects: Objects }

type Named = { body: Body; name: string }
/** By the body's hash. */
type Put = Map<string, Named>

/** Of names, from when they are announced: far longer than any process takes from 1 to 3. */
const announcedFor = '1 hour'
/** Regardless of the fate of a put object; then the caller retries or waits. */
const maxRounds = 3
const pauseMs = 200

/** Rejects with `BodiesAway`, with `BodyTooLarge`, or as `pg` does; then nothing is stored, and it may be repeated. */
export function storeInObjects({ pool, transaction, objects }: Ports) {
  // While the store is away no more names are announced: each try looks first.
  let wasAway = false

  return async (pages: readonly StoredPage[]): Promise<void> => {
    for (let at = 0; at < pages.length; at += maxPagesPerStatement)
      await storeSome(latestOfEach(pages.slice(at, at + maxPagesPerStatement)))
  }

  async function storeSome(rows: readonly StoredPage[]): Promise<void> {
    const bodies = distinctBodies(rows)
    if (bodies.length === 0) return void (await pool.query(storeStatement(rows, [])))
    if (wasAway) await objects.look()
    wasAway = false
    const put: Put = new Map()
    let failure: unknown = new BodiesAway('bodies went again and again while their pages were stored')
    for (let round = 1; round <= maxRounds; round++) {
      if (round > 1) await sleep(pauseMs)
      const fault = await putLacking(
        bodies.filter(body => !put.has(keyOf(body.hash))),
        put,
      )
      if (fault instanceof BodyTooLarge) throw fault
      if (fault !== null) failure = fault
      else if (await transaction(client => storeRows(client, rows, bodies, put))) return
    }
    wasAway = true
    throw failure
  }

  /** Null, or why not all are there that should be. */
  async function putLacking(bodies: readonly Body[], put: Put): Promise<unknown> {
    const named = await announce(bodies)
    const { done, failure } = await inLanes(named, ({ name, body }) => objects.put(name, body.data))
    for (const one of done) put.set(keyOf(one.body.hash), one)
    return failure
  }

  /** Of those that no row has, with the names that they are to be put under. */
  async function announce(bodies: readonly Body[]): Promise<Named[]> {
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

/** Returns false if a body must be put again. It is then removed from the known bodies, and nothing is written. */
async function storeRows(
  client: Client,
  rows: readonly StoredPage[],
  bodies: readonly Body[],
  put: Put,
): Promise<boolean> {
  // Rows that the sweeper has left stay until the end of this transaction.
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
  await client.query(storeStatement(rows, ours))
  if (ours.length > 0)
    await client.query(settle, [ours.map(({ body }) => body.hash), ours.map(({ name }) => name)])
  return true
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

const announcing = `
  insert into content.object (name, sweep_at)
  select wanted.name, now() + interval '${announcedFor}' from unnest($1::bytea[], $2::text[]) as wanted (hash, name)
  where not exists (select from content.body where body.hash = wanted.hash)
  returning name`

/** In one order, so that no two wait for each other. */
const stillAnnounced =
  'select name from content.object where name = any($1) and not doomed order by name for update'

/** Ends the announcements of names in rows. Names without a row may now be swept. */
const settle = `
  with put as (select * from unnest($1::bytea[], $2::text[]) as put (hash, name)),
  taken as (
    delete from content.object using put join content.body on body.hash = put.hash and body.object = put.name
    where object.name = put.name
    returning object.name
  )
  update content.object set sweep_at = now() from put
  where object.name = put.name and put.name not in (select name from taken)`
