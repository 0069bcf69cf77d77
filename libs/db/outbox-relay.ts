/**
 * Publishes the rows of an outbox and removes them. Those who wait for their row are served at once; what a
 * crash or an absent server left is swept up every second. Any number of relays may serve one outbox.
 */
import { causeOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { Ambiguous } from '@tidemark/bus/publish'
import { fails, works } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import type { Pool, PoolClient } from 'pg'
import { type Found, Pace } from './outbox-pace.ts'
import { publishRow } from './outbox-publish.ts'
import { type OutboxRow, presentRows, removeRows, takeFirstRows } from './outbox-rows.ts'
import { Waiters } from './outbox-waiters.ts'
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
   * Publishes a committed row now; its sequence in the stream. Throws when that is not possible now, or when
   * the relay stops: the row then stays and goes out as soon as it can.
   */
  publishNow(id: number): Promise<number>
  /** Publishes all that is there; the sequence of each row. Throws like `publishNow`. */
  flush(): Promise<Map<number, number>>
  /** Resolves once the signal has aborted and nothing is under way any more. */
  close(): Promise<void>
}

/** The row is not there: another relay published it, or it was never committed. */
export class NoSuchRow extends Error {
  override readonly name = 'NoSuchRow'
}

/** Younger rows are left to those who wait for them. */
const sweptAfterSeconds = 2
/** What cannot be published for so long is a fault of its service. */
const faultyMs = 15_000

/** Serves the outbox until the signal aborts. */
export function relay({ bus, pool, schema, signal, report }: Relaying): Relay {
  const waiters = new Waiters()
  const pace = new Pace(signal)
  const publishing = `publish ${schema}.outbox`
  const ended = work()
  return { publishNow, flush, close: () => ended }

  async function publishNow(id: number): Promise<number> {
    const known = waiters.sequenceOf(id)
    if (known !== undefined) return known
    if (signal.aborted) throw stopped()
    const sequence = waiters.wait(id)
    pace.wake()
    return sequence
  }

  async function flush(): Promise<Map<number, number>> {
    const ids = await presentRows(pool, schema)
    return new Map(await Promise.all(ids.map(async id => [id, await publishNow(id)] as const)))
  }

  async function work(): Promise<void> {
    while (!signal.aborted) {
      pace.begin()
      await pace.rest(await pass())
    }
    works(bus.nc, publishing)
    for (const id of waiters.ids) waiters.fail(id, stopped())
  }

  async function pass(): Promise<Found> {
    const { ids } = waiters
    try {
      const found = await inTransaction(pool, client => publishDue(client, ids))
      if (found !== 'obstacles') works(bus.nc, publishing)
      if (found !== 'nothing' || ids.length === 0) return found
      const present = new Set(await presentRows(pool, schema, ids))
      for (const id of ids)
        if (!present.has(id)) waiters.fail(id, new NoSuchRow(`${schema}.outbox has no row ${id}`))
      return 'locks'
    } catch (error) {
      stuck(error)
      for (const id of ids) waiters.fail(id, error)
      return 'obstacles'
    }
  }

  function stuck(error: unknown): void {
    report(error)
    const says = `${schema}.outbox cannot be published: ${error instanceof Error ? error.message : String(error)}`
    fails(bus.nc, publishing, named(causeOf(error, 'outbox_stuck'), says), faultyMs)
  }

  /** One row of each subject that is due, all at the same time. */
  async function publishDue(client: PoolClient, ids: number[]): Promise<Found> {
    const rows = await takeFirstRows(client, schema, { ids, ageSeconds: sweptAfterSeconds })
    if (rows.length === 0) return 'nothing'
    const results = await Promise.allSettled(rows.map(publishOne))
    const errors = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    const done = rows.filter((_, n) => results[n]?.status === 'fulfilled')
    await removeRows(
      client,
      schema,
      done.map(row => row.id),
    )
    if (errors.length === 0) return 'rows'
    const obstacle = new AggregateError(
      errors,
      `${errors.length} of ${rows.length} rows of ${schema}.outbox stay`,
    )
    stuck(obstacle)
    const taken = new Set(rows.map(row => row.id))
    for (const id of ids) if (!taken.has(id)) waiters.fail(id, obstacle) // it may stand behind one of them
    return 'obstacles'
  }

  async function publishOne(row: OutboxRow): Promise<void> {
    try {
      waiters.done(row.id, await publishRow(bus, schema, row))
    } catch (error) {
      // Whether it is stored is found out by the next pass.
      if (!(error instanceof Ambiguous)) waiters.fail(row.id, error)
      throw error
    }
  }

  function stopped(): Error {
    return new Error(`the relay of ${schema}.outbox has stopped; the row goes out after the next start`)
  }
}
