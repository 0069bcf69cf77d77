/**
 * Advisory locks that keep backups, rebuilds, checks and the cleanup of ended runs apart. Each command acquires the lock of
 * tables first, then that of packing, so that no two commands wait for each other. Backups and checks share the lock of sweeps.
 */
import { lockOfSweeps } from '@tidemark/crawl-coordinator/policies/clean-up-ended-runs'
import { AdminError } from '../admin-error.ts'
import type { Client, OpenInstance } from '../open-instance.ts'

/** A backup shares it until all tables are copied. A rebuild needs it alone, because it replaces tables. */
const lockOfTables = 0x7461626c
/** A backup needs it alone until all streams are packed: NATS makes one snapshot of a stream at a time. */
const lockOfPacking = 0x7061636b

/** Milliseconds for which a backup or a check waits for each of these locks. */
const maxWaitMs = 600_000
const lockNotAvailable = '55P03'

type Held = { [Symbol.asyncDispose](): Promise<void> }

/**
 * Prevents rebuilds until the result is disposed. Throws AdminError if one is under way for longer than ten minutes. A lost
 * connection is not an error, because the transaction that copies the tables has locks of its own.
 */
export async function stopRebuilds(instance: Pick<OpenInstance, 'pool'>): Promise<Held> {
  const held = await hold(instance, lockOfTables, 'pg_advisory_xact_lock_shared', maxWaitMs)
  return { [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]().catch(() => {}) }
}

/** Prevents that another backup packs streams until the result is disposed. Throws AdminError after ten minutes. */
export const packAlone = (instance: Pick<OpenInstance, 'pool'>): Promise<Held> =>
  hold(instance, lockOfPacking, 'pg_advisory_xact_lock', maxWaitMs)

/**
 * Stops archiving and purging of RUNS until the result is disposed. Disposing it again has no effect. Throws AdminError if
 * other work holds their lock for longer than `waitMs`. The disposal is rejected if the connection was lost.
 */
export const stopSweeps = (instance: Pick<OpenInstance, 'pool'>, waitMs = maxWaitMs): Promise<Held> =>
  hold(instance, lockOfSweeps, 'pg_advisory_xact_lock_shared', waitMs)

async function hold(
  { pool }: Pick<OpenInstance, 'pool'>,
  lock: number,
  acquire: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared',
  waitMs: number,
): Promise<Held> {
  const client = await pool.connect()
  const ignore = () => {} // the next query is rejected
  client.on('error', ignore)
  let isOver = false
  const dispose = async () => {
    if (isOver) return
    isOver = true
    await client.query('rollback').finally(() => {
      client.off('error', ignore)
      client.release()
    })
  }
  try {
    await client.query(`begin; set local lock_timeout = ${waitMs}`)
    await client.query(`select ${acquire}($1)`, [lock])
    return { [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    if (Reflect.get(Object(error), 'code') !== lockNotAvailable) throw error
    throw new AdminError(
      'A rebuild, another backup or the cleanup of ended runs is under way. Try again when it has ended.',
    )
  }
}

/**
 * Acquires both locks for a rebuild until the transaction ends: no backup copies its tables, no other rebuild runs, and no
 * events are archived that were not read yet. `onWait` receives the work that must end first.
 */
export async function lockForRebuild(client: Client, onWait: (work: string) => void): Promise<void> {
  for (const [lock, work] of [
    [lockOfTables, 'a backup or another rebuild'],
    [lockOfSweeps, 'a check or the cleanup of ended runs'],
  ] as const) {
    const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_xact_lock($1) as ours', [
      lock,
    ])
    if (rows[0]?.ours) continue
    onWait(work)
    await client.query('select pg_advisory_xact_lock($1)', [lock])
  }
}
