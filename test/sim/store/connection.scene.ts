/** The connection of a session to Postgres: its statements, the locks for which they wait, and its clock. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Difference, deadlock, type Outcome, plain, type Sent, sent } from './outcome.scene.ts'
import type { Postgres } from './postgres.scene.ts'

/** Longer than Postgres takes for a statement on a busy machine. */
const limitMs = 20_000
/** Longer than Postgres takes to end a deadlock. */
const pollIntervalMs = 300

export class Connection {
  readonly pid: number
  readonly #client: pg.Client
  readonly #postgres: Postgres
  #clockSet = 0

  constructor(client: pg.Client, postgres: Postgres) {
    this.#client = client
    this.#postgres = postgres
    this.pid = Number(Reflect.get(client, 'processID'))
  }

  /** @param now Time of the simulation, in milliseconds since 1970. */
  async setClock(now: number): Promise<void> {
    if (this.#clockSet === now) return
    await this.#client.query(`select set_config('clock.now', $1, false)`, [String(now)])
    this.#clockSet = now
  }

  /** Rolls back the transaction. Throws if Postgres rejects the rollback. */
  async rollback(): Promise<void> {
    await this.#client.query('rollback')
  }

  send(text: string, values: unknown[]): Sent {
    return sent(this.#client.query(text, values))
  }

  /** Returns the outcome of a new statement. Throws a Difference if it waits for a lock or has no result in time. */
  async run(text: string, values: unknown[]): Promise<Outcome> {
    return this.outcomeOf(text, this.send(text, values))
  }

  /**
   * Returns the outcome of a statement that was sent. Throws a Difference if it waits for a lock or has no result in
   * time.
   */
  async outcomeOf(text: string, statement: Sent): Promise<Outcome> {
    for (const until = performance.now() + limitMs; performance.now() < until; ) {
      const timer = new AbortController()
      const looking = sleep(pollIntervalMs, undefined, { signal: timer.signal }).catch(() => {})
      await Promise.race([statement.settled, looking])
      timer.abort()
      if (statement.outcome !== null) return statement.outcome
      const isBlocked = (await this.#postgres.blockers(this.pid)).length > 0
      if (isBlocked && statement.outcome === null) throw new Difference(`Only Postgres waits: ${plain(text)}`)
    }
    throw new Difference(`Postgres does not respond: ${plain(text)}`)
  }

  /**
   * Returns the processes that hold the lock for which a statement waits. The list is empty if Postgres ended a
   * deadlock.
   */
  async blockersOf(text: string, statement: Sent): Promise<readonly number[]> {
    for (const until = performance.now() + limitMs; performance.now() < until; ) {
      const blockers = await this.#postgres.blockers(this.pid)
      if (statement.outcome !== null) {
        if ('code' in statement.outcome && statement.outcome.code === deadlock) return []
        throw new Difference(`Only the simulated store waits: ${plain(text)}`)
      }
      if (blockers.length > 0) return blockers
      await sleep(1)
    }
    throw new Difference(`Postgres neither responds nor waits: ${plain(text)}`)
  }
}
