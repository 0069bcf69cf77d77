/** A session: adapters that send each of their statements to the simulated store and to Postgres. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction } from '@tidemark/db/transaction'
import type pg from 'pg'
import type { Task, World } from '../world.ts'
import {
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

/** Reports that both sides differ. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/** Ends a transaction in the same way on both sides. */
class Ended extends Error {
  override readonly name = 'Ended'
}

/** Longer than Postgres takes for a statement on a busy machine. */
const limitMs = 20_000
/** Longer than Postgres takes to end a deadlock. */
const lookMs = 300

/** One connection on each side. */
export class Session {
  readonly pid: number
  /** The processes that hold the lock for which it waits. */
  blockers: readonly number[] = []
  readonly #both: Sides
  readonly #real: pg.Client
  readonly #number: number
  #task = newTask()
  #simulated: pg.PoolClient | null = null
  #isIn = false
  #clockSet = 0
  #quiet: Promise<void> = Promise.resolve()
  #calm = () => {}
  #turn: (() => void) | null = null
  #error: unknown = null
  #pending: { real: Sent; simulated: Sent; resume: (outcome: Outcome) => void } | null = null

  constructor(both: Sides, real: pg.Client, number: number) {
    this.#both = both
    this.#real = real
    this.#number = number
    this.pid = Number(Reflect.get(real, 'processID'))
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

  /** Lets it send its next statement. Resolves when it has the result and is ready again, or waits for a lock. */
  async send(): Promise<void> {
    this.#beBusy()
    const turn = this.#turn
    this.#turn = null
    turn?.()
    await this.calmed()
  }

  /** Resolves when it has nothing to do before its next turn. */
  async calmed(): Promise<void> {
    await this.#quiet
    if (this.#error !== null) throw this.#error
  }

  /** Ends the case. The adapter could not even roll back while Postgres waits. */
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
    if (!this.#isIn && text !== 'rollback') await this.#setClock()
    if (text === 'begin') {
      this.#isIn = true
      this.#simulated = await this.#open().connect()
    }
    // It was rolled back before.
    if (text === 'rollback' && !this.#isIn) return { rows: [], rowCount: null }
    const simulated = sent((this.#simulated ?? this.#open()).query(text, values))
    await this.#both.settle()
    const outcome =
      simulated.outcome === null
        ? await this.#wait(text, values, simulated)
        : this.#compare(text, values, await this.#ask(text, values), simulated.outcome)
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

  async #setClock(): Promise<void> {
    const { now } = this.#both.world
    if (this.#clockSet === now) return
    await this.#real.query(`select set_config('clock.now', $1, false)`, [String(now)])
    this.#clockSet = now
  }

  async #ask(text: string, values: unknown[]): Promise<Outcome> {
    const real = sent(this.#real.query(text, values))
    return this.#answered(text, real)
  }

  async #answered(text: string, real: Sent): Promise<Outcome> {
    for (const until = performance.now() + limitMs; performance.now() < until; ) {
      const timer = new AbortController()
      await Promise.race([real.settled, sleep(lookMs, undefined, { signal: timer.signal }).catch(() => {})])
      timer.abort()
      if (real.outcome !== null) return real.outcome
      const isBlocked = (await this.#both.postgres.blockers(this.pid)).length > 0
      if (isBlocked && real.outcome === null) throw new Difference(`Only Postgres waits: ${plain(text)}`)
    }
    throw new Difference(`Postgres does not respond: ${plain(text)}`)
  }

  /** Waits on both sides until another session has released the lock. */
  async #wait(text: string, values: unknown[], simulated: Sent): Promise<Outcome> {
    if (this.#both.waiting !== null) return this.#end()
    this.#both.waits++
    const real = sent(this.#real.query(text, values))
    this.blockers = await this.#findBlockers(text, real)
    this.#both.waiting = this
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#pending = { real, simulated, resume: resolve }
    this.#calm()
    const outcome = await promise
    return this.#compare(text, values, outcome, simulated.outcome ?? deadlocked)
  }

  /** Looks whether it still waits, after another session has done something. */
  async check(): Promise<void> {
    const pending = this.#pending
    if (pending === null) return
    const { real, simulated, resume } = pending
    await this.#both.settle()
    if (simulated.outcome === null) {
      this.blockers = await this.#findBlockers('a waiting statement', real)
      if (real.outcome === null) return
    }
    this.#pending = null
    this.#both.waiting = null
    this.#beBusy()
    resume(await this.#answered('a waiting statement', real))
    await this.calmed()
  }

  /** Returns who holds the lock for which Postgres waits. */
  async #findBlockers(text: string, real: Sent): Promise<readonly number[]> {
    for (const until = performance.now() + limitMs; performance.now() < until; ) {
      const blockers = await this.#both.postgres.blockers(this.pid)
      if (real.outcome !== null) {
        if ('code' in real.outcome && real.outcome.code === deadlock) return []
        throw new Difference(`Only the simulated store waits: ${plain(text)}`)
      }
      if (blockers.length > 0) return blockers
      await sleep(1)
    }
    throw new Difference(`Postgres neither responds nor waits: ${plain(text)}`)
  }

  /** Rolls back the transaction on both sides. */
  async #end(): Promise<Outcome> {
    this.#both.world.kill(this.#task)
    this.#task = newTask()
    this.#simulated = null
    if (this.#isIn) await this.#real.query('rollback')
    this.#isIn = false
    return deadlocked
  }

  async #compare(text: string, values: unknown[], real: Outcome, simulated: Outcome): Promise<Outcome> {
    // Postgres locks the rows of a statement in the order of its plan, so a deadlock can be its own.
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
