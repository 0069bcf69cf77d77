/**
 * Updates a schema while its services run. Concurrent jobs wait for each other, so any number is harmless. A change
 * that waits for a lock gives up soon and is retried, so that it does not block others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Migration, Migrator } from '@mikro-orm/migrations'
import { type Constructor, MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { type DatabaseDescription, type MigrationStatements, ormOptions } from './database.ts'
import { patiently } from './patience.ts'

export type MigrateOptions = {
  /** Maximum milliseconds to wait for a lock. Later statements of services wait behind it for as long. */
  lockMs?: number
  /** Milliseconds for which a migration that meets locks is retried before it fails. */
  limitMs?: number
  /** Called for each try that met a lock. */
  report?: (error: Error) => void
}

const defaultLockMs = 2_000
const defaultLimitMs = 300_000
const pauseMs = 1_000
const lockPollMs = 250
/** SQLSTATE of a lock timeout and of a deadlock. */
const lockErrors = new Set(['55P03', '40P01'])

/**
 * Runs the missing migrations and returns their names. Each runs in its own transaction, unless the migration itself
 * disables that. A migration that fails in its transaction leaves no changes, and its error is thrown.
 */
export async function migrate(
  url: string,
  description: DatabaseDescription,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { schema } = description
  const lock = await patiently(() => connectedClient(url))
  try {
    await lockSchema(lock, schema)
    await lock.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`)
    return await runAll(url, description, options)
  } finally {
    await lock.end()
  }
}

async function connectedClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'migrate' })
  await client.connect()
  return client
}

/** Waits for the schema's advisory lock. Polls, because a concurrent index build waits for every running statement. */
async function lockSchema(lock: pg.Client, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await lock.query<{ ours: boolean }>(
      'select pg_try_advisory_lock(hashtext($1), hashtext($2)) as ours',
      ['migrate', schema],
    )
    if (rows[0]?.ours) return
    await sleep(lockPollMs)
  }
}

/** Runs pending migrations until none is left, and retries those that meet a lock. Returns the names of all. */
async function runAll(
  url: string,
  description: DatabaseDescription,
  { lockMs = defaultLockMs, limitMs = defaultLimitMs, report = () => {} }: MigrateOptions,
): Promise<string[]> {
  const ran: string[] = []
  for (const end = Date.now() + limitMs; ; ) {
    try {
      while (await runPending(url, description, lockMs, ran));
      return ran
    } catch (error) {
      if (!(error instanceof Error) || !metLock(error) || Date.now() >= end) throw error
      report(error)
      await sleep(pauseMs)
    }
  }
}

/** Returns whether the migration met a lock. The ORM wraps errors of the driver. */
function metLock(error: Error): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause ?? Reflect.get(at, 'previous'))
    if (lockErrors.has(String(Reflect.get(at, 'code')))) return true
  return false
}

/**
 * Runs the missing migrations up to the next one outside of a transaction, or that one alone. Returns whether any is left.
 *
 * A migration outside of a transaction builds an index concurrently. It blocks no other statement while it waits for earlier
 * transactions, such as a backup. A time limit would only make it build the index again.
 */
async function runPending(
  url: string,
  description: DatabaseDescription,
  lockMs: number,
  ran: string[],
): Promise<boolean> {
  const missing = await withMigrator(url, description, lockMs, async migrator => {
    const pending = await migrator.getPending()
    const names = pending.map(({ name }) => name)
    const alone = names.findIndex(name => !isTransactional(description, name))
    migrator.on('migrated', ({ name }) => void ran.push(name))
    const together = alone < 0 ? names : names.slice(0, alone)
    if (together.length > 0) await migrator.up({ migrations: together })
    return names.slice(together.length)
  })
  const [alone, ...left] = missing
  if (alone === undefined) return false
  await withMigrator(url, description, 0, async migrator => {
    await migrator.up({ migrations: [alone] })
    ran.push(alone)
  })
  return left.length > 0
}

const isTransactional = ({ migrations }: DatabaseDescription, name: string): boolean =>
  !('alone' in (migrations[name] ?? []))

/** Returns the class that the ORM requires for the statements. */
export function migrationClass(statements: MigrationStatements): Constructor<Migration> {
  const alone = 'alone' in statements
  return class extends Migration {
    override isTransactional(): boolean {
      return !alone
    }
    override up(): void {
      for (const statement of alone ? statements.alone : statements) this.addSql(statement)
    }
  }
}

async function withMigrator<Result>(
  url: string,
  description: DatabaseDescription,
  lockMs: number,
  work: (migrator: Migrator) => Promise<Result>,
): Promise<Result> {
  const { schema, migrations } = description
  const options = ormOptions(url, { ...description, poolSize: 2, name: 'migrate', statementMs: 0 })
  const orm = new MikroORM({
    ...options,
    driverOptions: { ...options.driverOptions, lock_timeout: lockMs },
    extensions: [Migrator],
    migrations: {
      migrationsList: Object.entries(migrations).map(([name, one]) => ({ name, class: migrationClass(one) })),
      tableName: `${schema}.migration`,
      transactional: true,
      allOrNothing: false,
      snapshot: false,
      silent: true,
    },
  })
  // Otherwise the migrator creates a database again that is dropped while it connects.
  orm.schema.ensureDatabase = () => Promise.resolve(false)
  try {
    return await work(orm.migrator as Migrator)
  } finally {
    await orm.close(true)
  }
}
