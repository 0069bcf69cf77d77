/**
 * Projects a stream into rows: reads it in order, and writes each batch and the checkpoint in one transaction.
 * Failures are retried from the checkpoint, so the rows are as if nothing had failed. Only messages that the database
 * can never store are skipped, one by one; they are reported and dead-lettered.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf, messageOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { readStream, type StreamMessage, StreamWentBackwards } from '@tidemark/bus/read'
import { withBatchSpan } from '@tidemark/bus/trace'
import { reportFailing, reportStarting, reportWorking } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import type { Pool, PoolClient } from 'pg'
import { type CheckpointKey, moveCheckpoint, readPosition } from './checkpoint.ts'
import { deadLetter, parted } from './dead-lettering.ts'
import { inTransaction } from './transaction.ts'

export type Projection = {
  bus: Bus
  pool: Pool
  /** The schema of the `checkpoint` table. */
  schema: string
  name: string
  /** Partitions of one projection advance independently; each reads what its filter matches. */
  partition: string
  stream: string
  filter?: string | string[]
  /** Writes the rows for a batch, in the given transaction and nowhere else. */
  apply(client: PoolClient, messages: StreamMessage[]): Promise<void>
  /** Called after each commit with the position of the partition. */
  onCommitted?(sequence: number): void
  /**
   * Minimum milliseconds between two batches, for messages that arrive one by one: a transaction costs more than the rows
   * of several messages.
   */
  minIntervalMs?: number
  signal: AbortSignal
  report: (error: unknown) => void
  /** Milliseconds without progress after which the projection is a fault of its service; 30 s by default. */
  faultyMs?: number
}

/** Why a projection ended: it was stopped, or its stream is not the one that it has read before. */
export type ProjectionEnd = 'stopped' | 'stream-went-backwards'

/** Reports that another projector of the same partition has moved the checkpoint, or a rebuild has locked it. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

const maxWaitMs = 2_000
const defaultFaultyMs = 30_000
/** A lag of more messages than this for `faultyMs` is reported as a warning. */
const maxLag = 100_000
/** SQLSTATE of a lock timeout: a rebuild of the rows holds the checkpoint. */
const lockNotAvailable = '55P03'

/** Runs until the signal aborts or the stream has lost projected messages, and returns which of both happened. */
export async function runProjection(projection: Projection): Promise<ProjectionEnd> {
  const { bus, name, partition, stream, signal, report, faultyMs = defaultFaultyMs } = projection
  const work = `project ${name} ${partition}`
  const follower = new Follower(projection)
  reportStarting(bus.nc, work, named('starting', `${name} has not reached ${stream} yet`))
  try {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await follower.follow(() => {
          failures = 0
          reportWorking(bus.nc, work)
        })
      } catch (error) {
        if (error instanceof StreamWentBackwards) {
          report(error)
          return 'stream-went-backwards'
        }
        if (!(error instanceof Overtaken)) {
          report(error)
          const fault = `${name} gets nowhere in ${stream}: ${messageOf(error)}`
          reportFailing(bus.nc, work, named(causeOf(error, 'projection_stuck'), fault), faultyMs)
        }
        const waitMs = Math.min(50 * 2 ** failures++, maxWaitMs)
        await sleep(waitMs, undefined, { signal }).catch(() => {})
      }
    }
    return 'stopped'
  } finally {
    reportWorking(bus.nc, work)
    follower.end()
  }
}

/** Reads a stream from the checkpoint on, and starts at the checkpoint again after each failure. */
class Follower {
  readonly #projection: Projection
  readonly #key: CheckpointKey
  #at = 0
  /** The position of a failed batch: until it is written, reading alone is not progress. */
  #stuckAt: number | null = null
  #succeeded = () => {}

  constructor(projection: Projection) {
    const { schema, name, partition, stream } = projection
    this.#projection = projection
    this.#key = { schema, projection: name, partition, stream }
  }

  /** Reads until the signal aborts, or throws at the first error. Calls `succeeded` for each committed batch. */
  async follow(succeeded: () => void): Promise<void> {
    const { bus, pool, name, stream, filter, minIntervalMs = 0, apply, signal } = this.#projection
    this.#succeeded = succeeded
    const { sequence, after } = await readPosition(pool, this.#key)
    this.#at = sequence
    if (this.#at !== this.#stuckAt) succeeded()
    const from = { stream, from: this.#at + 1, after, ...(filter !== undefined && { filter }) }
    await readStream(bus, { ...from, minIntervalMs, signal, ...this.#reading() }, async messages => {
      try {
        await parted(messages, {
          write: some => withBatchSpan(bus, name, stream, some, () => this.#commit(some, apply)),
          skipMessage: (message, cause) => this.#skipMessage(message, cause),
        })
      } catch (error) {
        this.#stuckAt = this.#at
        throw error
      }
    })
  }

  /** Withdraws the faults and warnings that this class has reported. */
  end(): void {
    const { nc } = this.#projection.bus
    for (const work of [this.#unread, this.#behind]) reportWorking(nc, work)
  }

  get #unread(): string {
    return `read ${this.#projection.name} ${this.#projection.partition}`
  }

  get #behind(): string {
    return `keep up ${this.#projection.name} ${this.#projection.partition}`
  }

  /** Returns callbacks that report a stream which cannot be read. The reader itself retries it. */
  #reading() {
    const { bus, name, stream, report, faultyMs = defaultFaultyMs } = this.#projection
    return {
      report: (error: unknown) => {
        report(error)
        const fault = `${name} cannot read ${stream}: ${messageOf(error)}`
        reportFailing(bus.nc, this.#unread, named(causeOf(error, 'projection_stuck'), fault), faultyMs)
      },
      opened: () => reportWorking(bus.nc, this.#unread),
    }
  }

  #reportLag(pending: number): void {
    const { bus, name, stream, faultyMs = defaultFaultyMs } = this.#projection
    const warning = `${name} is ${pending} messages of ${stream} behind`
    if (pending <= maxLag) reportWorking(bus.nc, this.#behind)
    else
      reportFailing(bus.nc, this.#behind, named('projection_lag', warning), faultyMs, { weight: 'warning' })
  }

  async #skipMessage(message: StreamMessage, cause: unknown): Promise<void> {
    const { bus, name, stream, report } = this.#projection
    const skipped = await deadLetter(bus, { projection: name, stream }, message, cause)
    await this.#commit([message], async () => {})
    report(skipped)
  }

  async #commit(messages: StreamMessage[], apply: Projection['apply']): Promise<void> {
    const { pool, name } = this.#projection
    const last = messages.at(-1)
    const to = last?.sequence ?? this.#at
    await inTransaction(pool, async client => {
      // First, because the row's lock makes a second projector of this partition wait instead of work.
      if (!(await this.#moveTo(client, to, last))) throw new Overtaken(`${name} is no longer at ${this.#at}`)
      await apply(client, messages)
    })
    this.#at = to
    this.#succeeded()
    this.#reportLag(last?.pending ?? 0)
    this.#projection.onCommitted?.(to)
  }

  async #moveTo(client: PoolClient, to: number, last: StreamMessage | undefined): Promise<boolean> {
    try {
      return await moveCheckpoint(client, this.#key, this.#at, to, last)
    } catch (error) {
      if (error instanceof Error && Reflect.get(error, 'code') === lockNotAvailable) return false
      throw error
    }
  }
}
