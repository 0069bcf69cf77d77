/** Checks that the read model equals, row for row, what its projections compute from archive and streams. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '@tidemark/db/migrate'
import { database } from '@tidemark/gateway/database'
import pg from 'pg'
import { type Checksum, checksumsOf } from '../checksums.ts'
import { fill } from '../fill.ts'
import { type Client, type OpenInstance, openPool } from '../open-instance.ts'
import { positionOf, type ReaderPosition } from '../reader-positions.ts'
import { outlivingTables, readModelProjections } from '../rebuild/rebuildable.ts'
import { count, type Findings } from './check.ts'

const { schema } = database
/** Rows of deleted runs do not count, because the sweeper removes them later. */
const counted = { leaving: 'deleted_run', without: outlivingTables }

/**
 * Rebuilds the read model in a temporary database, up to the sequences that the given rows have reached. Skips the check
 * if the user may not create databases.
 */
export async function checkReadModel(
  instance: OpenInstance,
  client: Client,
  positions: readonly ReaderPosition[],
): Promise<Findings> {
  const skipped = await obstacleTo(client)
  if (skipped !== null) return { looked: count(0, 'table'), wrong: [], skipped }
  const kept = await checksumsOf(client, schema, counted)
  const made = await inScratch(instance, async pool => {
    for (const projection of readModelProjections) {
      const to = positionOf(positions, schema, projection.name)
      // Unreadable messages were reported when they were projected.
      await fill({ instance, projection, pool, to, report: () => {} })
    }
    return checksumsOf(pool, schema, counted)
  })
  const tables = [...new Set([...kept.keys(), ...made.keys()])].sort()
  return {
    looked: count(tables.length, 'table'),
    wrong: tables.flatMap(table => differences(table, kept.get(table), made.get(table))),
  }
}

function differences(table: string, kept: Checksum | undefined, made: Checksum | undefined): string[] {
  if (kept === undefined || made === undefined)
    return [`${schema}.${table} is ${kept ? 'in no migration' : 'missing'}`]
  if (kept.md5 === made.md5) return []
  const rows = `${count(kept.rows, 'row')} here, ${made.rows} when rebuilt`
  return [
    `${schema}.${table} is not what its streams make of it: ${rows}, checksum ${kept.md5} and ${made.md5}`,
  ]
}

/** Returns why the user may not create the temporary database, with the remedy; null: it may. */
async function obstacleTo(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ user: string; may: boolean }>(
    `select quote_ident(rolname) as user, rolsuper or rolcreatedb as may from pg_roles where rolname = current_user`,
  )
  const [role] = rows
  if (role === undefined || role.may) return null
  return `not checked, because ${role.user} may not create a temporary database: alter role ${role.user} createdb`
}

const prefix = 'tidemark_verify_'
/** SQLSTATE for the drop of a database that has connections. */
const objectInUse = '55006'
/** Age after which a database without connections counts as abandoned. A running check has connected by then. */
const abandonedAfterSeconds = 600

/** Runs `use` with a temporary database on the server of the instance. Drops those of interrupted checks. */
async function inScratch<T>(
  { pool, databaseUrl }: OpenInstance,
  use: (pool: OpenInstance['pool']) => Promise<T>,
): Promise<T> {
  await dropAbandoned(pool)
  const name = `${prefix}${Math.floor(Date.now() / 1_000)}_${randomUUID().slice(0, 8)}`
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  const drop = () => dropForced(pool, name)
  using ending = onSignal(drop)
  try {
    await pool.query(`create database ${name}`)
    const scratch = await openPool(url.href)
    // Stays connected, because a later check drops old databases without connections.
    const connection = await scratch.pool.connect()
    connection.on('error', () => {})
    try {
      await migrate(url.href, database)
      return await use(scratch.pool)
    } finally {
      connection.release()
      await scratch.close()
    }
  } finally {
    await ending.unlessSignalled()
    await drop()
  }
}

/** Drops the database of a check. A connection that begins meanwhile can prevent it, so it is tried again. */
async function dropForced(pool: OpenInstance['pool'], name: string): Promise<void> {
  for (let left = 50; ; left--) {
    try {
      await pool.query(`drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if (left === 0 || (error as { code?: unknown }).code !== objectInUse) throw error
      await sleep(100)
    }
  }
}

/** Drops the databases of checks that were killed. Earlier versions named theirs by 32 hexadecimal digits, without a time. */
async function dropAbandoned(pool: OpenInstance['pool']): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select datname as name from pg_database
     where case when datname ~ ('^' || $1 || '\\d+_')
         then split_part(substr(datname, length($1) + 1), '_', 1)::bigint < extract(epoch from now()) - $2
         else datname ~ ('^' || $1 || '[0-9a-f]{32}$') end
       and not exists (select from pg_stat_activity where datid = pg_database.oid)`,
    [prefix, abandonedAfterSeconds],
  )
  for (const { name } of rows) {
    // Fails if another user owns it, or if a check has connected to it meanwhile.
    await pool.query(`drop database if exists ${pg.escapeIdentifier(name)}`).catch(() => {})
  }
}

/**
 * Calls `drop` before SIGINT or SIGTERM ends the process, until the result is disposed. `unlessSignalled` does not resolve
 * after a signal: the check fails without its database, and its error must not end the process before the signal does.
 */
function onSignal(drop: () => Promise<unknown>): Disposable & { unlessSignalled(): Promise<void> } {
  const signals = ['SIGINT', 'SIGTERM'] as const
  let ended: Promise<void> = Promise.resolve()
  const end = (signal: NodeJS.Signals) => {
    ended = new Promise(() => {})
    // Dropping the database breaks the connections of the check, whose errors can arrive at any moment.
    process.on('uncaughtException', () => {})
    void drop()
      .catch(() => {})
      .finally(() => process.kill(process.pid, signal))
  }
  for (const signal of signals) process.once(signal, end)
  return {
    unlessSignalled: () => ended,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, end)
    },
  }
}
