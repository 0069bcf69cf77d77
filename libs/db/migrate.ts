/** Brings a schema up to date. Jobs that start at the same time wait for each other, so any number is harmless. */
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { type DatabaseDescription, ormOptions } from './database.ts'
import { patiently } from './patience.ts'

/** Returns the names of the migrations that it ran. One that fails leaves nothing behind and throws. */
export async function migrate(url: string, description: DatabaseDescription): Promise<string[]> {
  const { schema } = description
  const lock = await patiently(() => connectedClient(url))
  try {
    await lock.query('select pg_advisory_lock(hashtext($1), hashtext($2))', ['migrate', schema])
    await lock.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`)
    return await runPending(url, description)
  } finally {
    await lock.end()
  }
}

async function connectedClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'migrate' })
  await client.connect()
  return client
}

async function runPending(url: string, description: DatabaseDescription): Promise<string[]> {
  const { schema, migrations } = description
  const orm = await MikroORM.init({
    ...ormOptions(url, { ...description, poolSize: 2, name: 'migrate', statementMs: 0 }),
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName: `${schema}.migration`,
      transactional: true,
      allOrNothing: true,
      snapshot: false,
      silent: true,
    },
  })
  try {
    const ran = await orm.migrator.up()
    return ran.map(({ name }) => name)
  } finally {
    await orm.close(true)
  }
}
