/**
 * Publishes the rows of an outbox and removes them. Rows with waiting callers are published at once. Rows that a crash
 * or an outage left are swept every two seconds. Any number of relays may serve one outbox. A relay that stops publishes
 * the rows of callers whose requests its service is still answering.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf, messageOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { Ambiguous } from '@tidemark/bus/publish'
import { reportFailing, reportWorking } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import type { Pool, PoolClient } from 'pg'
import { publishRow } from './outbox-publish.ts'
import { hasOldRows, type OutboxRow, presentRows, removeRows, takeFirstRows } from './outbox-rows.ts'
import { Waiters } from './outbox-waiters.ts'
import { type Found, RelayPauses } from './relay-pauses.ts'
import { inTransaction } from './transaction.ts'

export type Relaying = {
  bus: Bus
  pool: Pool
  schema: string
  signal: AbortSignal
  report: (error: unknown) => void
}

export type Relay = {
  /**
   * Publishes a committed row now and returns its sequence in the stream. Throws if that is not possible now: the row then
   * stays and is published as soon as possible.
   */
  publishNow(id: number): Promise<number>
  /** Publishes all rows and returns the sequence of each. Throws like `publishNow`. */
  flush(): Promise<Map<number, number>>
  /** Resolves once the signal has aborted and nothing is in progress. */
  close(): Promise<void>
}

/** Reports that the row does not exist: another relay published it, or it was never committed. */
export class NoSuchRow extends Error {
  override readonly name = 'NoSuchRow'
}

/** Age in seconds from which a row is swept. Younger rows are published for their waiting callers. */
const sweptAfterSeconds = 2
/** Milliseconds without a successful pass after which the outbox is a fault of its service. */
const faultyMs = 15_000

/** Maximum milliseconds for rows with waiting callers after the signal has aborted. */
const drainMs = 5_000
const drainPauseMs = 20

/** Starts a relay, which serves the outbox until the signal aborts. */
export function relay(options: Relaying): Relay {
  const working = new OutboxRelay(options)
  return {
    publishNow: id => working.publishNow(id),
    flush: () => working.flush(),
    close: () => working.ended,
  }
}

class OutboxRelay {
  #ended: Promise<void>
  readonly #options: Relaying
  readonly #waiters = new Waiters()
  readonly #pauses: RelayPauses
  readonly #publishing: string

  constructor(options: Relaying) {
    this.#options = options
    this.#pauses = new RelayPauses(options.signal)
    this.#publishing = `publish ${options.schema}.outbox`
    this.#ended = this.#work()
  }

  get ended(): Promise<void> {
    return this.#ended
  }

  async publishNow(id: number): Promise<number> {
    const known = this.#waiters.sequenceOf(id)
    if (known !== undefined) return known
    const sequence = this.#waiters.wait(id)
    if (this.#options.signal.aborted) this.#ended = this.#ended.then(() => this.#drain())
    else this.#pauses.wake()
    return sequence
  }

  async flush(): Promise<Map<number, number>> {
    const ids = await presentRows(this.#options.pool, this.#options.schema)
    return new Map(await Promise.all(ids.map(async id => [id, await this.publishNow(id)] as const)))
  }

  async #work(): Promise<void> {
    while (!this.#options.signal.aborted) await this.#pauses.rest(await this.#pass())
    await this.#drain()
  }

  /** Publishes the rows with waiting callers, and rejects those whose rows cannot be published now. */
  async #drain(): Promise<void> {
    const endsAt = performance.now() + drainMs
    let found: Found = 'rows'
    while (this.#waiters.ids.length > 0 && found !== 'obstacles' && performance.now() < endsAt) {
      found = await this.#pass()
      if (found === 'locks') await sleep(drainPauseMs)
    }
    reportWorking(this.#options.bus.nc, this.#publishing)
    for (const id of this.#waiters.ids) this.#waiters.fail(id, this.#stopped())
  }

  async #pass(): Promise<Found> {
    const { ids } = this.#waiters
    const { pool, schema } = this.#options
    try {
      const isDue = ids.length > 0 || (await hasOldRows(pool, schema, sweptAfterSeconds))
      const found = isDue ? await inTransaction(pool, client => this.#publishDue(client, ids)) : 'nothing'
      if (found !== 'obstacles') reportWorking(this.#options.bus.nc, this.#publishing)
      if (found !== 'nothing' || ids.length === 0) return found
      const present = new Set(await presentRows(pool, schema, ids))
      for (const id of ids)
        if (!present.has(id)) this.#waiters.fail(id, new NoSuchRow(`${schema}.outbox has no row ${id}`))
      return 'locks'
    } catch (error) {
      this.#stuck(error)
      for (const id of ids) this.#waiters.fail(id, error)
      return 'obstacles'
    }
  }

  #stuck(error: unknown): void {
    this.#options.report(error)
    const fault = `${this.#options.schema}.outbox cannot be published: ${messageOf(error)}`
    reportFailing(
      this.#options.bus.nc,
      this.#publishing,
      named(causeOf(error, 'outbox_stuck'), fault),
      faultyMs,
    )
  }

  /** Publishes the first due row of each subject, all concurrently. */
  async #publishDue(client: PoolClient, ids: number[]): Promise<Found> {
    const rows = await takeFirstRows(client, this.#options.schema, { ids, ageSeconds: sweptAfterSeconds })
    if (rows.length === 0) return 'nothing'
    const results = await Promise.allSettled(rows.map(row => this.#publishOne(row)))
    const errors = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    const done = rows.filter((_, n) => results[n]?.status === 'fulfilled')
    await removeRows(
      client,
      this.#options.schema,
      done.map(row => row.id),
    )
    if (errors.length === 0) return 'rows'
    const obstacle = new AggregateError(
      errors,
      `${errors.length} of ${rows.length} rows of ${this.#options.schema}.outbox could not be published`,
    )
    this.#stuck(obstacle)
    const taken = new Set(rows.map(row => row.id))
    for (const id of ids) if (!taken.has(id)) this.#waiters.fail(id, obstacle) // it may be queued behind one of them
    return 'obstacles'
  }

  async #publishOne(row: OutboxRow): Promise<void> {
    try {
      this.#waiters.done(row.id, await publishRow(this.#options.bus, this.#options.schema, row))
    } catch (error) {
      // The next pass finds out whether it is stored.
      if (!(error instanceof Ambiguous)) this.#waiters.fail(row.id, error)
      throw error
    }
  }

  #stopped(): Error {
    return new Error(
      `the relay of ${this.#options.schema}.outbox has stopped; the row is published after the next start`,
    )
  }
}
