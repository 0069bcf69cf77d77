/**
 * The environment of a service in its tests: a separate database and bus, prepared as before a real start, a client
 * of each for the test, and a stack for cleanup.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Bus, openBus } from '@tidemark/bus/connection'
import type { DatabaseDescription } from '@tidemark/db/database'
import pg from 'pg'
import { migratedDatabase } from './databases.ts'
import { type Throwaway, throwawayNats } from './servers.ts'

/** The part of a test that is used here. */
type Test = { teardown(fn: () => Promise<void>): void }

export type Surroundings = {
  /** The settings with which services find the bus and the database. */
  env: { NATS_URL: string; DATABASE_URL: string }
  nats: Throwaway
  bus: Bus
  pool: pg.Pool
  /** Disposed at the end of the test, last first, before bus and database. */
  stack: AsyncDisposableStack
  /**
   * Starts a program in a separate process, for tests that kill it. It is killed at the end of the test at the
   * latest.
   */
  spawn(file: string, env?: Record<string, string>): ChildProcess
}

type Needs = {
  database: DatabaseDescription | readonly DatabaseDescription[]
  /** Creates the streams on the server of this URL. */
  declare: (natsUrl: string) => Promise<unknown>
}

export async function surroundings(t: Test, { database, declare }: Needs): Promise<Surroundings> {
  process.env.LOG_LEVEL ??= 'fatal'
  const stack = new AsyncDisposableStack()
  t.teardown(() => stack.disposeAsync())
  const fresh = stack.adopt(await migratedDatabase(...[database].flat()), fresh => fresh.drop())
  const nats = stack.adopt(await throwawayNats(), nats => nats.stop())
  await declare(nats.url)
  const bus = stack.adopt(await openBus({ url: nats.url, name: 'test' }), bus => bus.close())
  const pool = stack.adopt(new pg.Pool({ connectionString: fresh.url }), pool => pool.end())
  pool.on('error', () => {})
  const env = { NATS_URL: nats.url, DATABASE_URL: fresh.url }
  return {
    env,
    nats,
    bus,
    pool,
    stack,
    spawn: (file, more = {}) =>
      stack.adopt(
        spawn(process.execPath, [file], {
          env: { ...process.env, ...env, ...more },
          stdio: ['ignore', 'ignore', 'inherit'],
        }),
        kill,
      ),
  }
}

/** Kills the process with SIGKILL and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
