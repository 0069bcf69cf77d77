/**
 * One moment of an instance that runs. For some hundredths of a second nobody writes to Postgres: all tables are locked
 * against writers, as soon as that can be had without keeping anybody waiting for long. In that time a snapshot of the
 * database is taken, the streams are asked where they end, and then the counters of ids how far they are.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { streams } from '@tidemark/contracts/subjects'
import pg from 'pg'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'
import { migrationsOf, sequencesOf, sqlOf, type Table, tablesOf } from './schemas.ts'

export type Ends = Map<string, { upTo: number; messages: number }>

export type Moment = {
  at: string
  /** For how long writers waited, in milliseconds. */
  heldMs: number
  /** Sees the database as it was at that moment, until it is closed. */
  client: pg.Client
  tables: Table[]
  sequences: Awaited<ReturnType<typeof sequencesOf>>
  migrations: Record<string, string[]>
  /** Where each stream ended, and how many messages it had. */
  ends: Ends
}

/** Less than the second after which Postgres looks for deadlocks: so it is never a service that it ends. */
const lockMs = 700
const patienceMs = 90_000
const pauseMs = 250
/** A lock that was not to be had in time, or never (SQLSTATE). */
const notYet = new Set(['57014', '55P03', '40P01'])

/** Throws AdminError where no such moment can be had: a rebuild holds its tables for as long as it takes. */
export async function takeMoment(
  { bus, databaseUrl }: Pick<OpenInstance, 'bus' | 'databaseUrl'>,
  schemas: readonly string[],
  kept: readonly string[],
): Promise<Moment> {
  const [holder, client] = await Promise.all([connect(databaseUrl), connect(databaseUrl)])
  try {
    const tables = await tablesOf(holder, schemas)
    const migrations = await migrationsOf(holder, schemas)
    const heldSince = await hold(holder, tables)
    await client.query('begin isolation level repeatable read, read only')
    const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at')
    const ends = await endsOf(bus, kept)
    // After the streams: whatever id stands in them was counted before.
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
  client.on('error', () => {}) // whoever asks it next is told
  await client.connect()
  return client
}

/** Since when. All or none, at each try. */
async function hold(holder: pg.Client, tables: readonly Table[]): Promise<number> {
  const all = tables.map(sqlOf).join(', ')
  for (const limit = performance.now() + patienceMs; ; await sleep(pauseMs)) {
    const began = performance.now()
    try {
      await holder.query(`begin; set local statement_timeout = ${lockMs}`)
      await holder.query(`lock table ${all} in share mode`)
      await holder.query('set local statement_timeout = 0')
      return began
    } catch (error) {
      await holder.query('rollback')
      if (!notYet.has(String(Reflect.get(Object(error), 'code')))) throw error
      if (performance.now() > limit)
        throw new AdminError(
          'Writes to the tables do not pause, as during a rebuild. Try again when it has ended.',
        )
    }
  }
}

/** Bills first: what they are for then stands in the streams that are asked after them. */
async function endsOf({ jsm }: OpenInstance['bus'], names: readonly string[]): Promise<Ends> {
  const ends: Ends = new Map()
  const inOrder = names.toSorted((a, b) => Number(b === streams.usage) - Number(a === streams.usage))
  for (const name of inOrder) {
    const { state } = await jsm.streams.info(name)
    ends.set(name, { upTo: state.last_seq, messages: state.messages })
  }
  return ends
}
