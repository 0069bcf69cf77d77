/**
 * Takes a consistent snapshot of a running instance. Writes to Postgres pause for some hundredths of a second: all
 * tables are locked against writers, as soon as the locks can be acquired without a long wait for other transactions.
 * Meanwhile a snapshot of the database is taken, then the ends of the streams are read, then the sequences of ids.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { streams } from '@tidemark/contracts/subjects'
import pg from 'pg'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'
import { endVacuums } from './end-vacuums.ts'
import { migrationsOf, sequencesOf, sqlOf, type Table, tablesOf } from './schemas.ts'

export type Ends = Map<string, { upTo: number; messages: number }>

export type Moment = {
  at: string
  /** How long writers waited, in ms. */
  heldMs: number
  /** Reads the database as of that moment. The caller closes it. */
  client: pg.Client
  tables: Table[]
  sequences: Awaited<ReturnType<typeof sequencesOf>>
  migrations: Record<string, string[]>
  /** Last sequence and number of messages of each stream. */
  ends: Ends
}

/** Below the 1 s after which Postgres checks for deadlocks, so that it never aborts a service's transaction. */
const lockMs = 700
const patienceMs = 90_000
const pauseMs = 250
/** SQLSTATEs of a lock that was not acquired: cancelled, not available, deadlock. */
const lockFailures = new Set(['57014', '55P03', '40P01'])

/** Takes the moment. Throws AdminError if writes do not pause within 90 s, as during a rebuild, which locks its tables. */
export async function takeMoment(
  { bus, databaseUrl }: Pick<OpenInstance, 'bus' | 'databaseUrl'>,
  schemas: readonly string[],
  kept: readonly string[],
): Promise<Moment> {
  const [holder, client] = await Promise.all([connect(databaseUrl), connect(databaseUrl)])
  try {
    const tables = await tablesOf(holder, schemas)
    const migrations = await migrationsOf(holder, schemas)
    const heldSince = await hold(holder, client, tables)
    const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at')
    const ends = await endsOf(bus, kept)
    // Read after the streams, so that the sequences include every id in a message.
    const sequences = await sequencesOf(holder, schemas)
    await holder.query('commit')
    const heldMs = Math.round(performance.now() - heldSince)
    return {
      at: (rows[0]?.at ?? new Date()).toISOString(),
      heldMs,
      client,
      tables,
      sequences,
      migrations,
      ends,
    }
  } catch (error) {
    await client.end()
    throw error
  } finally {
    await holder.end()
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: 'backup' })
  client.on('error', () => {}) // the next query rejects
  await client.connect()
  return client
}

/**
 * Begins the transaction of the reader, locks all tables against writers, and returns the time of that lock, as of
 * `performance.now()`. Each attempt locks all tables or none.
 *
 * The reader locks all tables too, until its transaction ends. Otherwise a rebuild could replace a table that is not copied yet
 * by a new one, in which the snapshot sees no rows. A lock takes no snapshot: the first query of the reader does.
 */
async function hold(holder: pg.Client, reader: pg.Client, tables: readonly Table[]): Promise<number> {
  const all = tables.map(sqlOf).join(', ')
  for (const limit = performance.now() + patienceMs; ; await sleep(pauseMs)) {
    try {
      await reader.query(
        `begin isolation level repeatable read, read only; set local statement_timeout = ${lockMs}`,
      )
      await reader.query(`lock table ${all} in access share mode`)
      await reader.query('set local statement_timeout = 0')
      const began = performance.now()
      await holder.query(`begin; set local statement_timeout = ${lockMs}`)
      await holder.query(`lock table ${all} in share mode`)
      await holder.query('set local statement_timeout = 0')
      return began
    } catch (error) {
      await Promise.all([holder.query('rollback'), reader.query('rollback')])
      if (!lockFailures.has(String(Reflect.get(Object(error), 'code')))) throw error
      if (performance.now() > limit)
        throw new AdminError(
          'Writes to the tables do not pause, as during a rebuild, or a vacuum by hand or against wraparound. Try again when it has ended.',
        )
      await endVacuums(holder, tables.map(sqlOf))
    }
  }
}

/** Reads the end of USAGE first, so that the streams read later contain the causes of all its bills. */
async function endsOf({ jsm }: OpenInstance['bus'], names: readonly string[]): Promise<Ends> {
  const ends: Ends = new Map()
  const inOrder = names.toSorted((a, b) => Number(b === streams.usage) - Number(a === streams.usage))
  for (const name of inOrder) {
    const { state } = await jsm.streams.info(name)
    ends.set(name, { upTo: state.last_seq, messages: state.messages })
  }
  return ends
}
