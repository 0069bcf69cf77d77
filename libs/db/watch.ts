/**
 * Checks every two seconds whether Postgres serves this process, and at the start whether the migrations of this
 * version have run. Also recognizes a full disk by the error of any statement. Heartbeats and probes of the process
 * include the faults.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf, messageOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { sleepAwake } from '@tidemark/bus/stall'
import { reportFailing, reportStarting, reportWorking } from '@tidemark/bus/troubles'
import { causes, named } from '@tidemark/contracts/health'
import type { Pool, PoolClient } from 'pg'
import type { DatabaseDescription } from './database.ts'
import { missingMigration } from './migrated.ts'
import { inTransaction } from './transaction.ts'

const everyMs = 2_000
/** Milliseconds between two checks while there is a fault, so that a recovery is noticed soon. */
const soonMs = 500
const responseMs = 5_000
/** Milliseconds after which a missing connection is a fault: a short break is normal when Postgres restarts. */
const patienceMs = 2_000

const connection = 'connect to Postgres'
const writing = 'write to Postgres'
const migrations = 'find the schema migrated'
/** SQLSTATE of a full disk. */
const diskFull = '53100'
/** Text in errors with that code, in every language, if the memory of a parallel query was full instead of the disk. */
const sharedMemory = '/PostgreSQL.'

type Watched = { bus: Pick<Bus, 'nc'>; pool: Pool; database: DatabaseDescription }

/** Watches Postgres until disposed. */
export function watchDatabase({ bus: { nc }, pool, database }: Watched): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  let [isFull, isMigrated] = [false, false]
  const onServerError = ({ code, message }: { code?: string; message?: string }) => {
    if (code !== diskFull || message?.includes(sharedMemory)) return
    isFull = true
    reportFailing(nc, writing, named('disk_full', causes.disk_full), 0)
  }
  const watched = new WeakSet<PoolClient>()
  const listen = (client: PoolClient) => {
    if (watched.has(client)) return
    watched.add(client)
    refusalsOf(client)?.on('errorMessage', onServerError)
  }
  pool.on('acquire', listen)
  reportStarting(nc, connection, named('starting', 'Postgres has not answered yet'))
  reportStarting(nc, migrations, waitsFor('its migrations'))
  const ended = watch()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended
    },
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const isWell = await check().catch(failed)
      await sleep(isWell ? everyMs : soonMs, undefined, { signal }).catch(() => {})
    }
    pool.off('acquire', listen)
    for (const work of [connection, migrations, writing]) reportWorking(nc, work)
  }

  async function check(): Promise<boolean> {
    const { rows } = await within(
      pool.query<{ is_read_only: boolean }>(
        `select current_setting('transaction_read_only')::boolean as is_read_only`,
      ),
    )
    reportWorking(nc, connection)
    if (!isMigrated) await checkMigrations()
    const isReadOnly = rows[0]?.is_read_only === true
    if (isReadOnly) reportFailing(nc, writing, named('database_read_only', causes.database_read_only), 0)
    else if (isFull) await checkSpace()
    else reportWorking(nc, writing)
    return !isReadOnly && !isFull && isMigrated
  }

  async function checkMigrations(): Promise<void> {
    const missing = await within(missingMigration(pool, database))
    isMigrated = missing === null
    if (isMigrated) reportWorking(nc, migrations)
    else reportStarting(nc, migrations, waitsFor(`migration ${missing}`))
  }

  function waitsFor(what: string): string {
    return named('starting', `schema ${database.schema} waits for ${what}`)
  }

  async function checkSpace(): Promise<void> {
    const hasSpace = await within(inTransaction(pool, writeSomething)).then(
      () => true,
      () => false,
    )
    if (!hasSpace) return
    isFull = false
    reportWorking(nc, writing)
  }

  function failed(error: unknown): boolean {
    reportFailing(nc, connection, named(causeOf(error, 'database_away'), messageOf(error)), patienceMs)
    return false
  }
}

/** Returns the emitter of all errors that the server sends. The pool itself emits no errors of statements. */
function refusalsOf(client: PoolClient): NodeJS.EventEmitter | undefined {
  return Reflect.get(client, 'connection')
}

/** Writes more than a page, which fails while the disk is full. */
async function writeSomething(client: PoolClient): Promise<void> {
  await client.query(
    `create temporary table filler on commit drop as
     select repeat(md5(n::text), 100) as filled from generate_series(1, 100) n`,
  )
}

async function within<T>(answer: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = sleepAwake(responseMs, over.signal).then(() => {
    throw Object.assign(new Error(`no response within ${responseMs} ms`), { code: 'ETIMEDOUT' })
  })
  late.catch(() => {})
  return Promise.race([answer, late]).finally(() => over.abort())
}
