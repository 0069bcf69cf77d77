/** Opens the bus and the database of a service. */
import { type Bus, openBus } from '@tidemark/bus/connection'
import type { Report } from '@tidemark/bus/outages'
import { type Database, type DatabaseDescription, openDatabase } from './database.ts'
import { watchDatabase } from './watch.ts'

export type ServerOptions = {
  /** The name of the service for the operators of NATS and Postgres. */
  name: string
  settings: { NATS_URL: string; DATABASE_URL: string }
  database: DatabaseDescription
  poolSize: number
  report: Report
}

/** Opens both until `started` is disposed, and reports their outages. Rejects if one cannot be reached. */
export async function openServers(
  started: AsyncDisposableStack,
  { name, settings, database, poolSize, report }: ServerOptions,
): Promise<{ bus: Bus; db: Database }> {
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  started.use(report.follow(bus))
  const options = { poolSize, name }
  const db = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db => db.close())
  started.use(watchDatabase({ bus, pool: db.pool, database }))
  return { bus, db }
}
