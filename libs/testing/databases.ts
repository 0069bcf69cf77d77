/**
 * Databases with the schemas of services, for tests. Each set of schemas is migrated once per server and copied from
 * then on.
 */
import { createHash } from 'node:crypto'
import type { DatabaseDescription } from '@tidemark/db/database'
import { migrate } from '@tidemark/db/migrate'
import pg from 'pg'
import { databaseUrl, type FreshDatabase, freshDatabase, needed } from './servers.ts'
import { until } from './until.ts'

/** Returns a separate database for a test, migrated as it is before the services start. */
export async function migratedDatabase(
  ...descriptions: readonly DatabaseDescription[]
): Promise<FreshDatabase> {
  return freshDatabase(await templateOf(descriptions))
}

/** Resolves when at least this number of sessions waits for locks of the table. */
export const untilBlocked = (client: Pick<pg.ClientBase, 'query'>, table: string, count = 1): Promise<void> =>
  until(async () => {
    const locks = 'select from pg_locks where not granted and relation = $1::regclass'
    return ((await client.query(locks, [table])).rowCount ?? 0) >= count
  })

/** Returns the name of the template database with these schemas, which accepts no connections. */
async function templateOf(descriptions: readonly DatabaseDescription[]): Promise<string> {
  const name = `template_${fingerprint(descriptions)}`
  const client = new pg.Client({ connectionString: needed('TEST_DATABASE_URL') })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]) // other tests may create it at the same time
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await make(client, name, descriptions)
    return name
  } finally {
    await client.end()
  }
}

/**
 * Creates the template under another name and renames it when it is complete, because a test may be killed meanwhile.
 */
async function make(
  client: pg.Client,
  name: string,
  descriptions: readonly DatabaseDescription[],
): Promise<void> {
  const fresh = `${name}_new`
  await client.query(`drop database if exists ${fresh} with (force)`)
  await client.query(`create database ${fresh}`)
  for (const description of descriptions) await migrate(databaseUrl(fresh), description)
  await client.query(`alter database ${fresh} with allow_connections false`)
  await client.query(`alter database ${fresh} rename to ${name}`)
}

/** A fingerprint of all migrations. */
function fingerprint(descriptions: readonly DatabaseDescription[]): string {
  const hash = createHash('sha256')
  for (const { schema, migrations } of descriptions) {
    hash.update(schema)
    for (const [name, migration] of Object.entries(migrations))
      hash.update(name).update(JSON.stringify(migration))
  }
  return hash.digest('hex').slice(0, 16)
}
