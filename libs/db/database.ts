/**
 * Opens a service's own schema in Postgres. Services use entities of MikroORM for few and rich rows, and SQL through
 * the same pool for rows that are many or must be counted exactly.
 */
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Pool, PoolClient } from 'pg'
import { parse } from 'pg-connection-string'
import { patiently } from './patience.ts'
import { inTransaction } from './transaction.ts'
import { columnTypes } from './types.ts'

/** The statements of a migration. They run in one transaction, or `alone`, outside of any. */
export type MigrationStatements = readonly string[] | { alone: readonly string[] }

export type DatabaseDescription = {
  /** The Postgres schema that only this service uses. */
  schema: string
  /** Made by `defineEntity` and `p`. */
  entities: NonNullable<Options['entities']>
  /** Migrations in the order in which they run. The database records the names, so they never change. */
  migrations: Readonly<Record<string, MigrationStatements>>
}

export type Database = {
  /** Fork its `em` for each request. */
  orm: MikroORM
  /** Reads BIGINT as a number. */
  pool: Pool
  transaction<T>(fn: (client: PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Returns the description; exists so that types are checked at its definition. */
export const defineDatabase = (description: DatabaseDescription): DatabaseDescription => description

export type PoolOptions = {
  /** Maximum connections. A request that waits longer than 5 s for one is refused. */
  poolSize: number
  /** The name of the connections in Postgres (`application_name`). */
  name: string
  /**
   * Maximum milliseconds of a statement; 30 s by default, 0 for no limit. Beyond it the statement fails with 57014.
   */
  statementMs?: number
}

/** Opens the database. Waits up to half a minute for a server that is not up yet. */
export async function openDatabase(
  url: string,
  { schema, entities }: DatabaseDescription,
  options: PoolOptions,
): Promise<Database> {
  // Its asynchronous `init` would also load the migrator, the seeder and their second copy of the ORM.
  const orm = new MikroORM(ormOptions(url, { schema, entities, ...options }))
  const pool = await poolOf(orm)
  await patiently(() => pool.query('select 1'))
  return {
    orm,
    pool,
    transaction: fn => inTransaction(pool, fn),
    close: () => close(orm, pool),
  }
}

/** Closes the ORM and the pool. The ORM ends the pool only if a query used the ORM itself. */
async function close(orm: MikroORM, pool: Pool): Promise<void> {
  await orm.close(true)
  if (!pool.ending) await pool.end()
}

type OrmSettings = Pick<DatabaseDescription, 'schema' | 'entities'> & PoolOptions

const defaultStatementMs = 30_000

/** Returns the ORM options of both services and migrations. */
export function ormOptions(url: string, settings: OrmSettings): Options {
  const { schema, entities, poolSize, name, statementMs = defaultStatementMs } = settings
  return {
    clientUrl: url,
    schema,
    entities,
    ensureDatabase: false,
    // Errors are thrown; the ORM's own lines on standard output would not be JSON.
    logger: () => {},
    // A service whose statements are all SQL has no entities.
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      application_name: name,
      types: columnTypes(),
      ...tlsOf(url),
      ...timeLimits(statementMs),
    },
  }
}

/**
 * Returns the TLS options that `pg` reads from the URL, because the ORM takes only address and user from it. If the URL
 * sets none, or has `ssl=false`, which `pg` does not know, the result is empty and PGSSLMODE applies. A Unix socket
 * uses no TLS, as in libpq.
 */
function tlsOf(url: string) {
  const { ssl, sslnegotiation } = parse(url)
  const isPlain = ssl === undefined || ssl === 'false' || /^%2f/i.test(new URL(url).hostname)
  return isPlain ? {} : { ssl, sslnegotiation }
}

/** Maximum wait for a lock. */
const lockMs = 10_000
/** Time after the statement timeout, for a server that does not enforce it. */
const responseMs = 5_000
/** Maximum time to open a connection. */
const connectMs = 5_000
/** Silence before a keep-alive probe. */
const silenceMs = 10_000

/** Returns the time limits. Without them a full pool, or a server that vanished, would block all work silently. */
const timeLimits = (statementMs: number) => ({
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: silenceMs,
  ...(statementMs > 0 && {
    statement_timeout: statementMs,
    query_timeout: statementMs + responseMs,
    lock_timeout: lockMs,
  }),
})

/** Returns the pool of the ORM: sharing it halves the connections of a process. */
async function poolOf(orm: MikroORM): Promise<Pool> {
  const connection = orm.em.getConnection()
  await connection.connect()
  return connection.getNativeClient()
}
