/**
 * Deletes content: the pages and time-stamps of deleted runs, also those that are stored after the deletion, and bodies
 * without a page, screenshot or scan.
 *
 * References to bodies are checked under a lock that every statement which inserts bodies shares. The sweeper
 * therefore sees all references, and a body that is being stored again at the same moment stays or is restored. For a
 * body in an object only the row is deleted here. The name of its object is recorded and swept afterwards.
 */
import type { Pool } from 'pg'
import type { Objects } from './objects.ts'
import { sweepObjects } from './sweep-objects.ts'
import type { Transaction } from './transaction.ts'

type Client = Pick<Pool, 'query'>

/** Lock that is shared by transactions that give a page a body, and exclusive for the sweeper. */
export const lockOfBodies = 0x626f6479

/** Migrations in order. They never change once they have run anywhere. */
export const sweepingTables: readonly string[] = [
  `create table content.deletion (
    run_id bigint primary key,
    deleted_at timestamptz not null default now(),
    sweep_at timestamptz not null default now()
  )`,
  'create index on content.deletion (sweep_at)',
  'create table content.released (hash bytea primary key)',
  'create index on content.page using hash (body_hash)',
  `create function content.share_bodies() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${lockOfBodies});
      return null;
    end
  $$`,
  `create trigger share_bodies before insert on content.body
    for each statement execute function content.share_bodies()`,
  `create function content.release_body() returns trigger language plpgsql as $$
    begin
      insert into content.released (hash) values (old.body_hash) on conflict do nothing;
      return null;
    end
  $$`,
  `create trigger release_body after update on content.page for each row
    when (old.body_hash is not null and old.body_hash is distinct from new.body_hash)
    execute function content.release_body()`,
]

/** Records permanently that these runs are deleted. The next sweeps delete their pages. */
export async function recordDeleted(client: Client, runIds: readonly number[]): Promise<void> {
  if (runIds.length === 0) return
  await client.query(
    `insert into content.deletion (run_id) select unnest($1::bigint[]) on conflict (run_id) do nothing`,
    [runIds],
  )
}

const runsAtOnce = 200
const pagesAtOnce = 500
const bodiesAtOnce = 100

/** Returns whether a sweep would find pages or bodies. */
export async function isSweepDue(pool: Client): Promise<boolean> {
  const { rows } = await pool.query<{ is_due: boolean }>(
    `select exists (select from content.deletion where sweep_at <= now())
       or exists (select from content.released) as is_due`,
  )
  return rows[0]?.is_due === true
}

/**
 * Sweeps until nothing is due, in short transactions. Callers repeat it, and only one process may run it at a time.
 * @param objects Without it, objects stay, and their names stay recorded.
 */
export async function sweepContent(
  transaction: Transaction,
  signal: AbortSignal,
  objects?: Objects,
): Promise<void> {
  while (!signal.aborted && (await transaction(sweepPages)));
  while (!signal.aborted && (await transaction(sweepBodies)));
  if (objects !== undefined) await sweepObjects(transaction, objects, signal)
}

/**
 * Deletes some pages of deleted runs. Returns true if there may be more. Rows are locked in the order in which they
 * are stored, so that no two transactions deadlock.
 */
async function sweepPages(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ run_id: number }>(
    `select run_id from content.deletion where sweep_at <= now() order by sweep_at limit ${runsAtOnce}`,
  )
  if (rows.length === 0) return false
  const runIds = rows.map(({ run_id }) => run_id)
  const { rowCount: pages } = await client.query(removePages, [runIds])
  const { rowCount: pictures } = await client.query(removePictures, [runIds])
  await client.query('delete from content.time_stamp where run_id = any($1)', [runIds])
  if (Math.max(pages ?? 0, pictures ?? 0) < pagesAtOnce) await client.query(postpone, [runIds])
  return true
}

const removePages = `
  with doomed as materialized (
    select run_id, url_key from content.page where run_id = any($1)
    order by run_id, url_key limit ${pagesAtOnce} for update
  ), gone as (
    delete from content.page using doomed
    where page.run_id = doomed.run_id and page.url_key = doomed.url_key
    returning page.body_hash
  ), released as (
    insert into content.released (hash)
    select distinct body_hash from gone where body_hash is not null order by body_hash
    on conflict do nothing
  )
  select from gone`

/** A trigger releases the bytes. */
const removePictures = `
  delete from content.picture where (run_id, url_key) in (
    select run_id, url_key from content.picture where run_id = any($1)
    order by run_id, url_key limit ${pagesAtOnce} for update)`

/**
 * A page may arrive after the deletion, but ever less likely. The interval between checks therefore grows with time.
 */
const postpone = `
  update content.deletion
  set sweep_at = now() + least(greatest((now() - deleted_at) / 4, interval '1 second'), interval '1 day')
  where run_id = any($1)`

async function sweepBodies(client: Client): Promise<boolean> {
  const { rowCount: waiting } = await client.query('select from content.released limit 1')
  if (waiting === 0) return false
  // A separate statement, because references must be checked as of after this wait.
  await client.query('select pg_advisory_xact_lock($1)', [lockOfBodies])
  await client.query(removeBodies)
  return true
}

const removeBodies = `
  with taken as (
    delete from content.released where hash in (
      select hash from content.released order by hash limit ${bodiesAtOnce})
    returning hash
  )
  delete from content.body using taken
  where body.hash = taken.hash and not exists (select from content.page where page.body_hash = taken.hash)
    and not exists (select from content.picture where picture.body_hash = taken.hash)
    and not exists (select from content.scan where scan.body_hash = taken.hash)
    and not exists (select from content.scan where scan.site_hash = taken.hash)`
