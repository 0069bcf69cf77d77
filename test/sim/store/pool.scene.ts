/**
 * A pool of connections to the simulated database. It knows the statements of the services by their text and runs each
 * as a function on the tables. An unknown statement is an error of the simulation, never of a service.
 */
import type { Database } from '@tidemark/db/database'
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool, PoolClient } from 'pg'
import type { Faults } from '../faults.ts'
import { type Task, Violation, type World } from '../world.ts'
import { MustWait, type Row, type Tables } from './tables.ts'
import { Transaction } from './transaction.ts'

// biome-ignore lint/suspicious/noExplicitAny: the parameters of a statement, whose types only the statement knows
type Values = any

export type Statement = {
  /** Part of the statement's text, with single spaces and without quotes of names. */
  text: string
  /** `sql` is the whole text, for statements that several schemas have. */
  run: (view: Transaction, values: Values, sql: string) => Row[] | { rowCount: number }
}

type Result = { rows: Row[]; rowCount: number }
type Query = string | { text: string; values?: unknown[] }

/** As in `libs/db`. */
export const lockMs = 10_000

export class Store {
  readonly tables: Tables
  readonly #world: World
  readonly #faults: Faults
  readonly #statements: readonly Statement[]
  readonly #known = new Map<string, Statement>()

  constructor(world: World, faults: Faults, tables: Tables, statements: readonly Statement[]) {
    this.#world = world
    this.#faults = faults
    this.tables = tables
    this.#statements = statements
  }

  /** Returns the database of a process. */
  open(task: Task): Pick<Database, 'pool' | 'transaction'> {
    const query = (sql: Query, values: unknown[] = []) => {
      const session = new Session(this, task)
      return session.query(sql, values).finally(() => session.end())
    }
    const connect = async () => new Session(this, task) as unknown as PoolClient
    const pool = { query, connect } as unknown as Pool
    return { pool, transaction: fn => inTransaction(pool, fn) }
  }

  /** Sends a statement. `execute` calls back with its result, or with an error of the database. */
  call<T>(
    task: Task,
    sql: string,
    execute: (done: (result: T | Error) => void) => void,
    broken: () => void = () => {},
  ): Promise<T> {
    const [world, faults] = [this.#world, this.#faults]
    const fate = faults.fateOf(task, sql.slice(0, 60))
    return new Promise((resolve, reject) => {
      if (fate === 'crash before') {
        world.kill(task)
        return
      }
      const breakOff = () => {
        broken()
        world.after(faults.latency(), () => reject(new Error('Connection terminated unexpectedly')), task)
      }
      const respond = (result: T | Error) => {
        const settle = () => (result instanceof Error ? reject(result) : resolve(result))
        if (fate === 'crash after') world.kill(task)
        else if (fate === 'unheard') breakOff()
        else world.after(faults.latency(), settle, task)
      }
      world.after(faults.latency(), () => (fate === 'lost' ? breakOff() : execute(respond)), null)
    })
  }

  /** Runs a statement in a transaction, as soon as it has its locks. */
  execute(
    transaction: Transaction,
    sql: string,
    values: unknown[],
    done: (result: Result | Error) => void,
  ): void {
    const { run } = this.#find(sql)
    const until = this.#world.now + lockMs
    let isAgain = false
    const attempt = () => {
      // The connection has broken while the transaction waited.
      if (transaction.hasEnded) return
      try {
        const result = transaction.run(view => run(view, values, sql), isAgain)
        done(Array.isArray(result) ? { rows: result, rowCount: result.length } : { rows: [], ...result })
      } catch (error) {
        if (!(error instanceof MustWait)) {
          this.#world.fail(error)
          return
        }
        isAgain = true
        if (this.#world.now >= until) done(Object.assign(new Error('lock timeout'), { code: '55P03' }))
        else this.#wait(error.lock, until, attempt)
      }
    }
    attempt()
  }

  #wait(lock: string, until: number, attempt: () => void): void {
    let isWaiting = true
    const once = () => {
      if (!isWaiting) return
      isWaiting = false
      this.#world.after(0, attempt, null)
    }
    this.tables.onRelease(lock, once)
    this.#world.after(until - this.#world.now, once, null)
  }

  #find(sql: string): Statement {
    const known = this.#known.get(sql)
    if (known !== undefined) return known
    const plain = plainOf(sql)
    const found = this.#statements.filter(({ text }) => plain.includes(text))
    const [longest] = found.sort((a, b) => b.text.length - a.text.length)
    if (longest === undefined) throw new Violation(`The simulated database does not know: ${plain.trim()}`)
    this.#known.set(sql, longest)
    return longest
  }
}

const plains = new Map<string, string>()

/** Returns a statement with single spaces and without quotes of names. */
function plainOf(sql: string): string {
  const known = plains.get(sql)
  if (known !== undefined) return known
  const plain = sql.replace(/\s+/g, ' ').replaceAll('"', '').replaceAll('( ', '(')
  plains.set(sql, plain)
  return plain
}

/** One connection, with at most one transaction. */
class Session {
  readonly #store: Store
  readonly #task: Task
  #transaction: Transaction | null = null
  /** Whether a statement of the transaction has failed. */
  #isAborted = false
  #isBroken = false

  constructor(store: Store, task: Task) {
    this.#store = store
    this.#task = task
    task.onEnd.push(this.#break)
  }

  async query(sql: Query, values: unknown[] = []): Promise<Result> {
    const text = typeof sql === 'string' ? sql : sql.text
    const given = typeof sql === 'string' ? values : (sql.values ?? values)
    if (this.#isBroken) throw new Error('Client has encountered a connection error and is not queryable')
    return this.#store.call(this.#task, text, done => this.#execute(text, given, done), this.#break)
  }

  on(): this {
    return this
  }

  off(): this {
    return this
  }

  release(): void {
    this.end()
  }

  end(): void {
    this.#break()
    const at = this.#task.onEnd.indexOf(this.#break)
    if (at >= 0) this.#task.onEnd.splice(at, 1)
  }

  #execute(sql: string, values: unknown[], done: (result: Result | Error) => void): void {
    const none = { rows: [], rowCount: 0 }
    if (this.#isBroken) done(new Error('Connection terminated'))
    else if (sql === 'begin') {
      this.#transaction = new Transaction(this.#store.tables)
      done(none)
    } else if (sql === 'commit' || sql === 'rollback') {
      if (!this.#isAborted) this.#transaction?.[sql]()
      this.#transaction = null
      this.#isAborted = false
      done(none)
    } else if (this.#isAborted) done(Object.assign(new Error('transaction is aborted'), { code: '25P02' }))
    else if (this.#transaction !== null) this.#executeWithin(this.#transaction, sql, values, done)
    else this.#executeAlone(sql, values, done)
  }

  /**
   * Runs a statement of a transaction. If it fails, the transaction is aborted, and further statements are refused
   * until its end.
   */
  #executeWithin(
    transaction: Transaction,
    sql: string,
    values: unknown[],
    done: (result: Result | Error) => void,
  ): void {
    this.#store.execute(transaction, sql, values, result => {
      this.#isAborted = result instanceof Error
      if (this.#isAborted) transaction.rollback()
      done(result)
    })
  }

  /** Runs a statement in a transaction of its own. */
  #executeAlone(sql: string, values: unknown[], done: (result: Result | Error) => void): void {
    const transaction = new Transaction(this.#store.tables)
    this.#store.execute(transaction, sql, values, result => {
      if (result instanceof Error) transaction.rollback()
      else transaction.commit()
      done(result)
    })
  }

  readonly #break = (): void => {
    this.#isBroken = true
    this.#transaction?.rollback()
    this.#transaction = null
  }
}
