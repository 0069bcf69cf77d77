/**
 * A service's own schema in Postgres: entities through MikroORM where rows are few and rich, SQL through
 * the same pool where they are many or must be counted exactly.
 */
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Pool, PoolClient } from 'pg'
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

/**
 * Opens a pool of at most `poolSize` connections under a name that the server shows to its operator. A
 * server that is not there yet is waited for, for half a minute.
 */
export async function openDatabase(
  url: string,
  { schema, entities }: DatabaseDescription,
  { poolSize, name }: { poolSize: number; name: string },
): Promise<Database> {
  const orm = await MikroORM.init(ormOptions(url, { schema, entities, poolSize, name }))
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

type OrmSettings = Pick<DatabaseDescription, 'schema' | 'entities'> & { poolSize: number; name: string }

/** What both the services and the migrations tell MikroORM. */
export function ormOptions(url: string, { schema, entities, poolSize, name }: OrmSettings): Options {
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
    driverOptions: { application_name: name, types: columnTypes(), keepAlive: true },
  }
}

/** The pool that the ORM made: sharing it halves the connections of a process. */
async function poolOf(orm: MikroORM): Promise<Pool> {
  const connection = orm.em.getConnection()
  await connection.connect()
  return connection.getNativeClient()
}
