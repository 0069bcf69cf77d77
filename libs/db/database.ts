/**
 * A service's own schema in Postgres: entities through MikroORM where rows are few and rich, SQL through
 * the same pool where they are many or must be counted exactly.
 */
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Pool, PoolClient } from 'pg'
import { parse } from 'pg-connection-string'
import { patiently } from './patience.ts'
import { inTransaction } from './transaction.ts'
import { columnTypes } from './types.ts'

export type DatabaseDescription = {
  /** The Postgres schema that is this service's alone. */
  schema: string
  /** Made by `defineEntity` and `p`. */
  entities: NonNullable<Options['entities']>
  /** In the order in which they run. The class names are recorded, so they never change. */
  migrations: NonNullable<NonNullable<Options['migrations']>['migrationsList']>
}

export type Database = {
  /** Fork its `em` for each request. */
  orm: MikroORM
  /** Reads BIGINT as a number. */
  pool: Pool
  transaction<T>(fn: (client: PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The description itself; it exists so that one is checked where it is written. */
export const defineDatabase = (description: DatabaseDescription): DatabaseDescription => description

export type PoolOptions = {
  /** Most connections. Who waits for one for more than 5 s is refused. */
  poolSize: number
  /** The server shows it to its operator. */
  name: string
  /** For each statement; 30 s by default, 0 for no limit. Beyond it the statement fails with 57014. */
  statementMs?: number
}

/** A server that is not there yet is waited for, for half a minute. */
export async function openDatabase(
  url: string,
  { schema, entities }: DatabaseDescription,
  options: PoolOptions,
): Promise<Database> {
  const orm = await MikroORM.init(ormOptions(url, { schema, entities, ...options }))
  const pool = await poolOf(orm)
  await patiently(() => pool.query('select 1'))
  return {
    orm,
    pool,
    transaction: fn => inTransaction(pool, fn),
    close: () => close(orm, pool),
  }
}

/** The ORM ends the pool only where a query went through the ORM itself. */
async function close(orm: MikroORM, pool: Pool): Promise<void> {
  await orm.close(true)
  if (!pool.ending) await pool.end()
}

type OrmSettings = Pick<DatabaseDescription, 'schema' | 'entities'> & PoolOptions

const defaultStatementMs = 30_000

/** What both the services and the migrations tell MikroORM. */
export function ormOptions(url: string, settings: OrmSettings): Options {
  const { schema, entities, poolSize, name, statementMs = defaultStatementMs } = settings
  return {
    clientUrl: url,
    schema,
    entities,
    ensureDatabase: false,
    // What goes wrong is thrown; the ORM's own lines on standard output would not be JSON.
    logger: () => {},
    // A service whose statements are all SQL has none.
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
 * What the URL says of TLS, read as `pg` reads it: the ORM takes from a URL no more than where and who. Nothing where
 * it says nothing (or `ssl=false`, a word that `pg` does not know), for then PGSSLMODE does. Over a Unix socket there is
 * none, as libpq has it.
 */
function tlsOf(url: string) {
  const { ssl, sslnegotiation } = parse(url)
  const isPlain = ssl === undefined || ssl === 'false' || /^%2f/i.test(new URL(url).hostname)
  return isPlain ? {} : { ssl, sslnegotiation }
}

/** For a lock that others hold, for the server's answer where its machine is gone, and for a connection. */
const lockMs = 10_000
const answerMs = 5_000
const connectMs = 5_000
const silenceMs = 10_000

/** Without limits a full pool, or a server that is gone without a word, would hold everything up and say nothing. */
const timeLimits = (statementMs: number) => ({
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: silenceMs,
  ...(statementMs > 0 && {
    statement_timeout: statementMs,
    query_timeout: statementMs + answerMs,
    lock_timeout: lockMs,
  }),
})

/** The pool that the ORM made: sharing it halves the connections of a process. */
async function poolOf(orm: MikroORM): Promise<Pool> {
  const connection = orm.em.getConnection()
  await connection.connect()
  return connection.getNativeClient()
}
