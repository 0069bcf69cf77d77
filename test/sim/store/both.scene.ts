/**
 * Runs adapters of services in concurrent sessions, and sends each of their statements to the simulated store and to
 * Postgres. Both must return the same rows, row counts and errors, and wait for the same locks. A schedule chooses the
 * session whose statement is next.
 *
 * While a session waits, only the session that holds its lock continues. A further statement that would wait is not
 * sent to Postgres. Instead its transaction is rolled back on both sides: the order of several waiting sessions is
 * undefined, and Postgres ends a deadlock after another time than the simulation.
 */
import type pg from 'pg'
import { Faults, noFaults } from '../faults.ts'
import { World } from '../world.ts'
import { Difference } from './outcome.scene.ts'
import { lockMs, type Statement, Store } from './pool.scene.ts'
import type { Postgres } from './postgres.scene.ts'
import { newTask, Session, type Sides, type Work } from './session.scene.ts'
import { Tables } from './tables.ts'

/** `pick` chooses the session that is next, after `afterMs` milliseconds. The steps of a schedule are repeated. */
export type Step = { pick: number; afterMs: number }

class NoFaults extends Faults {
  override latency(): number {
    return 0
  }
}

export class Both implements Sides {
  readonly tables: Tables
  readonly store: Store
  readonly world: World
  readonly postgres: Postgres
  readonly #sessions: Session[]
  waiting: Session | null = null
  /** The compared statements, each with the number of its session. */
  readonly story: string[] = []
  /** Number of statements that waited. */
  waits = 0

  constructor(
    postgres: Postgres,
    clients: readonly pg.Client[],
    startedAt: number,
    statements: readonly Statement[],
  ) {
    this.world = new World(1, startedAt)
    this.tables = new Tables(() => this.world.now)
    this.store = new Store(this.world, new NoFaults(this.world, noFaults), this.tables, statements)
    this.postgres = postgres
    this.#sessions = clients.map((client, n) => new Session(this, client, n + 1))
  }

  /** Runs the work of each session to its end. */
  async run(works: readonly (readonly Work[])[], schedule: readonly Step[]): Promise<void> {
    await this.postgres.setClock(this.world.now)
    const sessions = works.map((work, n) => {
      const session = this.#sessions[n]
      if (session === undefined) throw new RangeError(`There is no connection for session ${n}.`)
      session.start(work)
      return session
    })
    for (const session of sessions) await session.calmed()
    for (let n = 0; ; n++) {
      const { pick, afterMs } = schedule[n % schedule.length] ?? { pick: 0, afterMs: 0 }
      const ready = sessions.filter(session => session.isReady && this.#maySend(session))
      const session = ready[pick % ready.length]
      if (session === undefined) break
      if (this.waiting === null && afterMs > 0) await this.#pass(afterMs)
      await session.send()
      if (this.waiting !== session) await this.waiting?.check()
    }
    if (this.waiting !== null) throw new Difference('A session waits for one that has ended.')
  }

  #maySend(session: Session): boolean {
    return this.waiting === null || this.waiting.blockers.includes(session.pid)
  }

  async #pass(ms: number): Promise<void> {
    await this.world.run(() => false, this.world.now + ms)
    await this.postgres.setClock(this.world.now)
  }

  /** Opens a simulated connection without a counterpart. Statements that wait reach the time limit of their lock. */
  async openSimulated(): Promise<pg.PoolClient> {
    const client = await this.store.open(newTask()).pool.connect()
    const query = async (text: string, values: unknown[] = []) => {
      const result = client.query(text, values)
      result.catch(() => {})
      await this.world.run(() => false, this.world.now + lockMs)
      return result
    }
    return { query } as unknown as pg.PoolClient
  }

  /** Processes everything that happens now in the simulation. */
  async settle(): Promise<void> {
    await this.world.run(() => false, this.world.now)
    if (this.world.violation !== null) throw this.world.violation
  }
}
