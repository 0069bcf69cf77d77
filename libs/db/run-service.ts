/**
 * Starts and stops a service with a bus and a database. A stopping service accepts no new work before its current work
 * is settled, and closes bus and database last.
 */
import type { Bus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import type { Database } from './database.ts'
import { openServers, type ServerOptions } from './open-servers.ts'

export type ServiceOptions = ServerOptions & { settings: { INSTANCE: string } }

export type Serving = {
  bus: Bus
  db: Database
  /** Aborts when the service stops. */
  signal: AbortSignal
  report: (error: unknown) => void
  /** Cleanup that runs after the work has ended, last first. */
  started: AsyncDisposableStack
}

export type Work = {
  /** Settles after the signal has aborted and nothing is in progress. */
  ended: Promise<unknown>
  /** Returns the fault of the service, or null; called before each beat. */
  check?: () => string | null
  /** Returns a warning for the operator while the service works, or null. */
  warn?: () => string | null
}

/**
 * Starts `begin` and its heartbeats until disposed; the signal stops the work earlier. Rejects if bus or database
 * cannot be reached.
 */
export async function runService(
  options: ServiceOptions,
  signal: AbortSignal,
  begin: (serving: Serving) => Work,
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  await using started = new AsyncDisposableStack()
  const { bus, db } = await openServers(started, options)
  const { name, settings, report } = options
  const { ended, ...health } = begin({ bus, db, signal: stop.signal, report, started })
  started.defer(async () => {
    stop.abort()
    await ended
  })
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, ...health }))
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}
