/**
 * A Postgres database with a virtual clock, for comparisons with the simulated store. `now()` and `clock_timestamp()`
 * are functions of a schema that the connections search before the system's own, so the statements are unchanged.
 */
import type { DatabaseDescription } from '@tidemark/db/database'
import { columnTypes } from '@tidemark/db/types'
import { migratedDatabase } from '@tidemark/testing/databases'
import pg from 'pg'

/** How the tables of a service begin in each case. */
export type Reset = {
  description: DatabaseDescription
  /** The tables that are compared. The others stay empty. */
  tables: readonly string[]
  sequences: readonly string[]
  /** Rows that a migration inserts. */
  rows?: string
  /** Statements that create the tables of other services. These tables stay empty. */
  foreign?: readonly string[]
}

const clock = `
  create schema clock;
  create sequence clock.time minvalue 0;
  create function clock.clock_timestamp() returns timestamptz volatile language sql as
    $$ select pg_catalog.to_timestamp(last_value / 1000.0) from clock.time $$;
  create function clock.now() returns timestamptz stable language sql as
    $$ select pg_catalog.to_timestamp(pg_catalog.current_setting('clock.now')::numeric / 1000.0) $$;`

/** The second setting shortens the time after which Postgres ends a deadlock, which is a second by default. */
const options = '-c search_path=clock,pg_catalog -c deadlock_timeout=50ms -c timezone=UTC'

export class Postgres {
  readonly #url: string
  readonly #admin: pg.Client
  readonly #reset: Reset
  readonly #drop: () => Promise<void>

  private constructor(url: string, admin: pg.Client, reset: Reset, drop: () => Promise<void>) {
    this.#url = url
    this.#admin = admin
    this.#reset = reset
    this.#drop = drop
  }

  /** Creates a database with the migrations of a service. */
  static async create(reset: Reset): Promise<Postgres> {
    const { url, drop } = await migratedDatabase(reset.description)
    const admin = await connect(url)
    for (const statement of [clock, ...(reset.foreign ?? [])]) await admin.query(statement)
    // A default is bound to its function when the column is created.
    for (const table of reset.tables.filter(table => table.endsWith('.outbox')))
      await admin.query(`alter table ${table} alter created_at set default clock.clock_timestamp()`)
    return new Postgres(url, admin, reset, drop)
  }

  connect(): Promise<pg.Client> {
    return connect(this.#url)
  }

  /** Empties the tables, and restarts the sequences. */
  async reset(): Promise<void> {
    const { tables, sequences, rows = '' } = this.#reset
    const emptied = tables.map(table => `delete from ${table};`)
    const restarted = sequences.map(sequence => `select setval('${sequence}', 1, false);`)
    await this.#admin.query([...emptied, ...restarted, rows].join('\n'))
  }

  async setClock(ms: number): Promise<void> {
    await this.#admin.query(`select setval('clock.time', $1)`, [ms])
  }

  /** Returns the processes that hold the locks for which this one waits. */
  async blockers(pid: number): Promise<number[]> {
    const { rows } = await this.#admin.query('select pg_blocking_pids($1) as pids', [pid])
    return rows[0].pids
  }

  /** Ends a session, whatever it waits for. */
  async terminate(pid: number): Promise<void> {
    await this.#admin.query('select pg_terminate_backend($1, 5000)', [pid])
  }

  /** Returns the rows of a table as JSON. */
  async rows(table: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#admin.query(`select to_jsonb(stored) as stored from ${table} as stored`)
    return rows.map(({ stored }) => stored)
  }

  async close(): Promise<void> {
    await this.#admin.end()
    await this.#drop()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types: columnTypes(), options })
  // A terminated session also rejects its statement.
  client.on('error', () => {})
  await client.connect()
  return client
}
