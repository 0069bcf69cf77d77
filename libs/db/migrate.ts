/**
 * Brings a schema up to date while those who use it go on. Jobs that start at the same time wait for each other, so any
 * number is harmless. A change that has to wait for a lock lets others pass: it gives up soon, and is tried again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { type DatabaseDescription, ormOptions } from './database.ts'
import { patiently } from './patience.ts'

export type Patience = {
  /** The longest wait for a lock: whoever comes after it waits as long as it does. */
  lockMs?: number
  /** For so long a migration that meets locks is tried again; then it fails. */
  limitMs?: number
  /** Told of each try that met one. */
  report?: (error: Error) => void
}

const defaultLockMs = 2_000
const defaultLimitMs = 300_000
const pauseMs = 1_000
const turnMs = 250
/** As Postgres says that a lock was not to be had in time, and that two waited for each other. */
const metLock = new Set(['55P03', '40P01'])

/**
 * Returns the names of the migrations that it ran, each in a transaction of its own unless it says otherwise. One that
 * fails leaves nothing behind and throws.
 */
export async function migrate(
  url: string,
  description: DatabaseDescription,
  patience: Patience = {},
): Promise<string[]> {
  const { schema } = description
  const lock = await patiently(() => connectedClient(url))
  try {
    await turnOf(lock, schema)
    await lock.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`)
    return await persistently(url, description, patience)
  } finally {
    await lock.end()
  }
}

async function connectedClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'migrate' })
  await client.connect()
  return client
}

/** Asked again and again, for an index that is made while others write waits for every statement that is under way. */
async function turnOf(lock: pg.Client, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await lock.query<{ ours: boolean }>(
      'select pg_try_advisory_lock(hashtext($1), hashtext($2)) as ours',
      ['migrate', schema],
    )
    if (rows[0]?.ours) return
    await sleep(turnMs)
  }
}

async function persistently(
  url: string,
  description: DatabaseDescription,
  { lockMs = defaultLockMs, limitMs = defaultLimitMs, report = () => {} }: Patience,
): Promise<string[]> {
  const ran: string[] = []
  for (const end = Date.now() + limitMs; ; ) {
    try {
      await runPending(url, description, lockMs, ran)
      return ran
    } catch (error) {
      if (!(error instanceof Error) || !metLock.has(codeOf(error)) || Date.now() >= end) throw error
      report(error)
      await sleep(pauseMs)
    }
  }
}

/** The ORM wraps what the driver threw. */
function codeOf(error: Error): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause ?? Reflect.get(at, 'previous'))
    if (metLock.has(String(Reflect.get(at, 'code')))) return String(Reflect.get(at, 'code'))
  return ''
}

async function runPending(
  url: string,
  description: DatabaseDescription,
  lockMs: number,
  ran: string[],
): Promise<void> {
  const { schema, migrations } = description
  const options = ormOptions(url, { ...description, poolSize: 2, name: 'migrate', statementMs: 0 })
  const orm = await MikroORM.init({
    ...options,
    driverOptions: { ...options.driverOptions, lock_timeout: lockMs },
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName: `${schema}.migration`,
      transactional: true,
      allOrNothing: false,
      snapshot: false,
      silent: true,
    },
  })
  try {
    orm.migrator.on('migrated', ({ name }) => void ran.push(name))
    await orm.migrator.up()
  } finally {
    await orm.close(true)
  }
}
