/**
 * How a service that has a bus and a database begins and ends. It takes nothing new before what is under way is
 * settled, and bus and database go last, so that nothing under way loses them.
 */
import { type Bus, openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { type Database, type DatabaseDescription, openDatabase } from './database.ts'
import { watchDatabase } from './watch.ts'

export type Place = {
  /** As it beats, and as NATS and Postgres show it to their operators. */
  name: string
  settings: { NATS_URL: string; DATABASE_URL: string; INSTANCE: string }
  database: DatabaseDescription
  poolSize: number
  report: (error: unknown) => void
}

export type Serving = {
  bus: Bus
  db: Database
  /** Aborts when the service stops. */
  signal: AbortSignal
  report: (error: unknown) => void
  /** For what must be put back once the work has ended, last first. */
  started: AsyncDisposableStack
}

export type Work = {
  /** Settles after the signal has aborted and nothing is under way any more. */
  ended: Promise<unknown>
  /** Names what keeps the service from working, or null; asked before each beat. */
  check?: () => string | null
  /** Names what somebody should see to, though the service works; or null. */
  warn?: () => string | null
}

/**
 * Starts what `begin` begins, and beats for it, until disposed; the signal stops the work before that. Rejects
 * when bus or database cannot be reached.
 */
export async function serve(
  { name, settings, database, poolSize, report }: Place,
  signal: AbortSignal,
  begin: (serving: Serving) => Work,
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  const options = { poolSize, name }
  const db = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db => db.close())
  started.use(watchDatabase({ bus, pool: db.pool, database }))
  const { ended, ...health } = begin({ bus, db, signal: stop.signal, report, started })
  started.defer(() => ended.then(() => {}))
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, ...health }))
  started.defer(() => stop.abort())
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}
