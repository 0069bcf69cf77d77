/** A session: adapters that send each of their statements to the simulated store and to Postgres. */
import { inTransaction } from '@tidemark/db/transaction'
import type pg from 'pg'
import type { Task, World } from '../world.ts'
import { Connection } from './connection.scene.ts'
import {
  Difference,
  deadlock,
  deadlocked,
  isControl,
  type Outcome,
  plain,
  type Result,
  type Sent,
  sent,
  textsOfBoth,
} from './outcome.scene.ts'
import type { Store } from './pool.scene.ts'
import type { Postgres } from './postgres.scene.ts'

/** The database as an adapter of a service gets it. */
export type Db = {
  pool: pg.Pool
  transaction<T>(fn: (client: pg.PoolClient) => Promise<T>): Promise<T>
}

/** Calls of adapters in one transaction, or each on its own. */
export type Work = {
  calls: readonly { run: (db: Db) => Promise<unknown> }[]
  end: 'commit' | 'rollback' | 'each'
}

/** The parts that all sessions share. */
export type Sides = {
  readonly store: Store
  readonly world: World
  readonly postgres: Postgres
  /** The compared statements, each with the number of its session. */
  readonly story: string[]
  waiting: Session | null
  /** Number of statements that waited. */
  waits: number
  /** Processes everything that happens now in the simulation. */
  settle(): Promise<void>
}

/** Ends a transaction in the same way on both sides. */
class Ended extends Error {
  override readonly name = 'Ended'
}

/** One connection on each side. */
export class Session {
  readonly pid: number
  /** The processes that hold the lock for which the session waits. */
  blockers: readonly number[] = []
  readonly #both: Sides
  readonly #real: Connection
  readonly #number: number
  #task = newTask()
  #simulated: pg.PoolClient | null = null
  #isIn = false
  #quiet: Promise<void> = Promise.resolve()
  #calm = () => {}
  #turn: (() => void) | null = null
  #error: unknown = null
  #pending: { real: Sent; simulated: Sent; resume: (outcome: Outcome) => void } | null = null

  constructor(both: Sides, real: pg.Client, number: number) {
    this.#both = both
    this.#real = new Connection(real, both.postgres)
    this.#number = number
    this.pid = this.#real.pid
  }

  get isReady(): boolean {
    return this.#turn !== null
  }

  start(works: readonly Work[]): void {
    this.#beBusy()
    void this.#work(works)
      .catch(error => {
        this.#error = error
      })
      .finally(() => this.#calm())
  }

  /** Sends the next statement of the session. Resolves when the session has the result, or waits for a lock. */
  async send(): Promise<void> {
    this.#beBusy()
    const turn = this.#turn
    this.#turn = null
    turn?.()
    await this.calmed()
  }

  /** Resolves when the session has nothing to do before its next turn. */
  async calmed(): Promise<void> {
    await this.#quiet
    if (this.#error !== null) throw this.#error
  }

  /** Ends the case with an error. While Postgres waits, the adapter cannot even roll back. */
  #fail(error: unknown): never {
    this.#error ??= error
    this.#calm()
    throw error
  }

  #beBusy(): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#quiet = promise
    this.#calm = resolve
  }

  async #work(works: readonly Work[]): Promise<void> {
    for (const { calls, end } of works) {
      try {
        if (end === 'each') for (const call of calls) await call.run(this.#db).catch(unlessEnded)
        else
          await inTransaction(this.#db.pool, async client => {
            for (const call of calls) await call.run(within(client))
            if (end === 'rollback') throw new Ended('rollback')
          })
      } catch (error) {
        unlessEnded(error)
      }
    }
  }

  get #db(): Db {
    const pool = { query: this.#query, connect: async () => this.#client } as unknown as pg.Pool
    return { pool, transaction: fn => inTransaction(pool, fn) }
  }

  get #client(): pg.PoolClient {
    const ignore = () => {}
    return { query: this.#query, on: ignore, off: ignore, release: ignore } as unknown as pg.PoolClient
  }

  readonly #query = async (query: string | pg.QueryConfig, values?: unknown[]): Promise<Result> => {
    const { text, values: given = [] } =
      typeof query === 'string' ? { text: query, values } : { values, ...query }
    await new Promise<void>(resolve => {
      this.#turn = resolve
      this.#calm()
    })
    const outcome = await this.#send(text, given).catch(error => this.#fail(error))
    if ('code' in outcome) throw Object.assign(new Ended(`${outcome.code}: ${text}`), outcome)
    return outcome
  }

  async #send(text: string, values: unknown[]): Promise<Outcome> {
    if (!this.#isIn && text !== 'rollback') await this.#real.setClock(this.#both.world.now)
    if (text === 'begin') {
      this.#isIn = true
      this.#simulated = await this.#open().connect()
    }
    // The transaction was rolled back before.
    if (text === 'rollback' && !this.#isIn) return { rows: [], rowCount: null }
    const simulated = sent((this.#simulated ?? this.#open()).query(text, values))
    await this.#both.settle()
    const outcome = await (simulated.outcome === null
      ? this.#wait(text, values, simulated)
      : this.#compare(text, values, await this.#real.run(text, values), simulated.outcome))
    if (text === 'commit' || text === 'rollback') this.#close()
    return outcome
  }

  #open(): pg.Pool {
    return this.#both.store.open(this.#task).pool
  }

  #close(): void {
    this.#simulated?.release()
    this.#simulated = null
    this.#isIn = false
  }

  /** Waits on both sides until another session has released the lock. */
  async #wait(text: string, values: unknown[], simulated: Sent): Promise<Outcome> {
    if (this.#both.waiting !== null) return this.#end()
    this.#both.waits++
    const real = this.#real.send(text, values)
    this.blockers = await this.#real.blockersOf(text, real)
    this.#both.waiting = this
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#pending = { real, simulated, resume: resolve }
    this.#calm()
    const outcome = await promise
    return this.#compare(text, values, outcome, simulated.outcome ?? deadlocked)
  }

  /** Checks whether the session still waits, after another session has done something. */
  async check(): Promise<void> {
    const pending = this.#pending
    if (pending === null) return
    const { real, simulated, resume } = pending
    await this.#both.settle()
    if (simulated.outcome === null) {
      this.blockers = await this.#real.blockersOf('a waiting statement', real)
      if (real.outcome === null) return
    }
    this.#pending = null
    this.#both.waiting = null
    this.#beBusy()
    resume(await this.#real.outcomeOf('a waiting statement', real))
    await this.calmed()
  }

  /** Rolls back the transaction on both sides. */
  async #end(): Promise<Outcome> {
    this.#both.world.kill(this.#task)
    this.#task = newTask()
    this.#simulated = null
    if (this.#isIn) await this.#real.rollback()
    this.#isIn = false
    return deadlocked
  }

  async #compare(text: string, values: unknown[], real: Outcome, simulated: Outcome): Promise<Outcome> {
    // Postgres locks the rows of a statement in the order of its plan, so it may meet a deadlock that the simulation
    // does not have.
    if ('code' in real && real.code === deadlock) return this.#end()
    const about = `${plain(text)} ${JSON.stringify(values)}`
    this.#both.story.push(`${this.#number}: ${about}`)
    const [wanted, given] = textsOfBoth(text, real, simulated)
    if (wanted !== given) throw new Difference(`${about} returns\n${given}\nand in Postgres\n${wanted}`)
    if ('code' in real || 'code' in simulated || isControl(text)) return real
    if (real.rowCount !== simulated.rowCount)
      throw new Difference(`${about}: ${simulated.rowCount} rows, and in Postgres ${real.rowCount}`)
    return real
  }
}

export const newTask = (): Task => ({
  ...{ name: 'session', isAlive: true, pausedUntil: 0, skewMs: 0, onEnd: [] },
  enter: act => act(),
})

/** The database within the transaction of a client. */
const within = (client: pg.PoolClient): Db => ({
  pool: client as unknown as pg.Pool,
  transaction: fn => fn(client),
})

function unlessEnded(error: unknown): void {
  if (!(error instanceof Ended)) throw error
}
