/** Checks that the read model equals, row for row, what its projections compute from archive and streams. */
import { randomUUID } from 'node:crypto'
import { migrate } from '@tidemark/db/migrate'
import { database } from '@tidemark/gateway/database'
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

/** Runs `use` with a temporary database on the server of the instance. */
async function inScratch<T>(
  { pool, databaseUrl }: OpenInstance,
  use: (pool: OpenInstance['pool']) => Promise<T>,
): Promise<T> {
  const name = `tidemark_verify_${randomUUID().replaceAll('-', '')}`
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  await pool.query(`create database ${name}`)
  try {
    await migrate(url.href, database)
    const scratch = await openPool(url.href)
    try {
      return await use(scratch.pool)
    } finally {
      await scratch.close()
    }
  } finally {
    await pool.query(`drop database if exists ${name} with (force)`)
  }
}
