/**
 * Rebuilds the rows of one projection while the instance runs. Copies of its tables ("twins") follow the stream until
 * they reach the position of the live tables, and then take their names. Readers see the old rows until then, and the
 * projector waits only for the switch. A killed rebuild has no effect: the next one starts again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Projected } from '@tidemark/contracts/notifications'
import { notifications } from '@tidemark/contracts/subjects'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { inTransaction } from '@tidemark/db/transaction'
import { AdminError } from '../admin-error.ts'
import { lockForRebuild } from '../backup/locks.ts'
import { fill, type Progress } from '../fill.ts'
import type { Client, OpenInstance } from '../open-instance.ts'
import type { Rebuildable } from './rebuildable.ts'
import { onTwins } from './twin-client.ts'
import { dropTwins, makeTwins, switchTwins, type Twins } from './twin-tables.ts'

const partition = 'all'
/** Maximum number of messages that are applied during the switch. */
const fewMessages = 500
const maxRounds = 20
/** SQLSTATEs of a lock timeout and of a deadlock. */
const lockFailures = new Set(['55P03', '40P01'])
const switchTries = 60
const pauseMs = 1_000

type Watch = {
  report: (error: unknown) => void
  progress: Progress
  /** Receives the work that must end before the rebuild begins. */
  onWait?: (work: string) => void
  /** Whether guarded sums may become smaller, because the stream has lost messages. */
  mayLose?: boolean
}

/**
 * Returns the sequence up to which the rows are built. Unreadable messages are reported and skipped, as before. Throws
 * AdminError, and changes nothing, if a guarded sum would become smaller.
 */
export async function rebuild(
  instance: OpenInstance,
  projection: Rebuildable,
  { onWait = () => {}, ...watch }: Watch,
): Promise<number> {
  const { schema, name, tables } = projection
  const twins: Twins = { schema, tables, twinSchema: `${schema}_${name}_beside` }
  return await inTransaction(instance.pool, async holder => {
    await lockForRebuild(holder, onWait)
    await inTransaction(instance.pool, client => makeTwins(client, twins))
    const build = new TwinBuild(instance, projection, twins, watch)
    await build.catchUp()
    await holder.query('select')
    return await build.replaceTables()
  })
}

class TwinBuild {
  readonly #instance: OpenInstance
  readonly #projection: Rebuildable
  readonly #twins: Twins
  readonly #watch: Watch
  #appliedTo = 0

  constructor(instance: OpenInstance, projection: Rebuildable, twins: Twins, watch: Watch) {
    this.#instance = instance
    this.#projection = projection
    this.#twins = twins
    this.#watch = watch
  }

  /** Applies messages until the twins are at most a few messages behind the live tables. */
  async catchUp(): Promise<void> {
    const { pool } = this.#instance
    const { schema, name, stream } = this.#projection
    for (let round = 0; round < maxRounds; round++) {
      const live = await readCheckpoint(pool, { schema, projection: name, partition, stream })
      const before = this.#appliedTo
      await this.#applyTo(await this.#within(live))
      if (this.#appliedTo - before <= fewMessages) break
    }
    for (const table of this.#twins.tables) await pool.query(`analyze "${this.#twins.twinSchema}".${table}`)
  }

  /**
   * Switches the tables and returns their sequence. Attempts are short, because a process that waits for a table lock
   * makes all others wait behind it.
   */
  async replaceTables(): Promise<number> {
    for (let left = switchTries; ; left--) {
      try {
        return await inTransaction(this.#instance.pool, client => this.#switch(client))
      } catch (error) {
        if (error instanceof AdminError) await dropTwins(this.#instance.pool, this.#twins)
        if (left <= 1 || !lockFailures.has(String(Reflect.get(Object(error), 'code')))) throw error
        await sleep(pauseMs)
      }
    }
  }

  async #switch(client: Client): Promise<number> {
    const { bus } = this.#instance
    const { schema, name, stream } = this.#projection
    // Postgres cancels an autovacuum only for a statement that waits for longer than `deadlock_timeout` (1 s).
    await client.query(`set local lock_timeout = '1500ms'`)
    const { rows } = await client.query<{ sequence: number }>(
      `select sequence from ${schema}.checkpoint where projection = $1 and partition = $2 and stream = $3 for update`,
      [name, partition, stream],
    )
    const live = Number(rows[0]?.sequence ?? 0)
    const end = await this.#within(live)
    await this.#applyTo(end)
    await this.#refuseLoss(client)
    await switchTwins(client, this.#twins)
    if (end < live) {
      await client.query(
        `update ${schema}.checkpoint set sequence = $4, read_to = null, read_subject = null
         where projection = $1 and partition = $2 and stream = $3`,
        [name, partition, stream, end],
      )
      bus.nc.publish(
        notifications.projected(name),
        JSON.stringify({ stream, sequence: end } satisfies Projected),
      )
    }
    return end
  }

  async #refuseLoss(client: Client): Promise<void> {
    const { guarded, schema, stream } = this.#projection
    if (guarded === undefined || this.#watch.mayLose) return
    const { table, column } = guarded
    const sumIn = (schema: string) =>
      `(select coalesce(sum(${column}), 0)::float8 from "${schema}"."${table}")`
    const { rows } = await client.query<{ lost: number }>(
      `select ${sumIn(schema)} - ${sumIn(this.#twins.twinSchema)} as lost`,
    )
    const lost = rows[0]?.lost ?? 0
    if (lost > 0)
      throw new AdminError(
        `${stream} lacks the messages of ${lost} ${column}, and a rebuild deletes their rows. Nothing was changed. Save ${schema}.${table}, then add --yes.`,
      )
  }

  /** Returns the sequence, or the end of the stream if the stream has lost later messages. */
  async #within(sequence: number): Promise<number> {
    const { state } = await this.#instance.bus.jsm.streams.info(this.#projection.stream)
    return Math.min(sequence, state.last_seq)
  }

  async #applyTo(to: number): Promise<void> {
    if (to <= this.#appliedTo) return
    const [instance, projection] = [this.#instance, this.#projection]
    const as = (client: Client) => onTwins(client, this.#twins)
    await fill({ instance, projection, pool: instance.pool, as, after: this.#appliedTo, to, ...this.#watch })
    this.#appliedTo = to
  }
}
