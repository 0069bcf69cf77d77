/**
 * Admits runs: checks the limit of concurrent runs and idempotency keys, finds an earlier run to return instead, and
 * assigns run ids. All that is one transaction under one lock per project, because a check before an insert would
 * admit all of forty concurrent requests.
 */

import type { StartRefusal } from '@tidemark/contracts/rpc/runs'
import { subjects } from '@tidemark/contracts/subjects'
import { concurrentRuns } from '@tidemark/contracts/tiers'
import type { Database } from '@tidemark/db/database'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import { type DoneRun, type Earlier, findEarlier, type Keyed, keepKey, youngest } from './earlier-runs.ts'
import { refunding, spending } from './request-bytes.ts'

type Wanted = {
  projectId: number
  url: string
  key: string | null
  fingerprint: string
  /** Equal for runs of equal URL and settings; null: the run is equal to no other. */
  likeness: string | null
  /** Maximum age in seconds of an equal finished run that may be returned instead. */
  maxAgeSeconds: number | null
  /** Bytes of the request in RUNS, and how many a project of this tier may start runs with per day. */
  request: { bytes: number; limit: number }
  /** Why no run may be started if no earlier one is returned; null if one may. */
  refusal: StartRefusal | null
  at: string
}

/** Returns the outbox message for a run that was admitted under this id. */
type Announce = (runId: number) => { subject: string; payload: Uint8Array; headers?: Record<string, string> }

export type Admitted =
  | { type: 'admitted'; runId: number; outboxId: number }
  | ({ type: 'replayed' } & Earlier)
  | ({ type: 'reused' } & DoneRun)
  | { type: 'full'; runIds: number[] }
  /** The requests of the day have too many bytes together. */
  | { type: 'spent' }
  | { type: 'refused'; refusal: StartRefusal }

/** The project of a run, and whether its slot was released, which means that it has ended. */
export type Admission = { projectId: number; isReleased: boolean }

export type Reopening = { runId: number; projectId: number; nth: number }

export type Withdrawn = { runId: number; outboxId: number; requestBytes: number }

export type Admissions = {
  admit(wanted: Wanted, announce: Announce): Promise<Admitted>
  /** Returns the run that a key has started within the last day, or null. */
  earlier(request: Keyed): Promise<Earlier | null>
  /** Returns the admission of a run, even of a deleted one; null for an unknown run. */
  find(runId: number): Promise<Admission | null>
  /** Returns whether the first event of an admitted run was published, even if its stream has lost it since. */
  isAnnounced(runId: number): Promise<boolean>
  /**
   * Releases the run's slot, and deletes the session of its login. Repeating it changes nothing.
   * Does nothing if the run was reopened after this end.
   * @param doneAt time when it ended as done; null if it ended otherwise
   * @param reopenings number of reopenings before this end; null: it was deleted
   */
  release(runId: number, doneAt: string | null, reopenings: number | null): Promise<void>
  /**
   * Acquires a slot for an ended run that is about to be reopened for the `nth` time. Its earlier end does not release
   * the slot. After half a minute without `settle` it does, because the process has crashed. Returns the holders of all
   * slots if none is free.
   */
  reserve(run: Reopening): Promise<{ type: 'reserved' } | { type: 'full'; runIds: number[] }>
  /** Confirms a reserved slot, or returns it because the run was not reopened. */
  settle(runId: number, isReopened: boolean): Promise<void>
  /**
   * Withdraws a run that was never announced, with its key and the bytes of its request. Keeps the run once its
   * announcement is published.
   * @param isStored returns whether its stream has the announcement; called while no relay can publish it
   */
  withdraw(run: Withdrawn, isStored: () => Promise<boolean>): Promise<void>
  /** Returns the ids of equal runs of a project that hold a slot. */
  heldAlike(projectId: number, likeness: string): Promise<number[]>
  /** Returns the ids of the runs of these shards that hold a slot. */
  held(shards: number[]): Promise<number[]>
}

const schema = 'coordinator'
const lockOfAdmissions = 0x7469

export function admissions({ pool, transaction }: Pick<Database, 'pool' | 'transaction'>): Admissions {
  return {
    admit: (wanted, announce) => transaction(client => admit(client, wanted, announce)),
    earlier: request => findEarlier(pool, request),
    async find(runId) {
      const { rows } = await pool.query(
        `select project_id, released_at from coordinator.admission where run_id = $1`,
        [runId],
      )
      const [row] = rows
      return row ? { projectId: Number(row.project_id), isReleased: row.released_at !== null } : null
    },
    async isAnnounced(runId) {
      const { rowCount } = await pool.query(announced, [runId, subjects.run(runId)])
      return rowCount === 1
    },
    release: (runId, doneAt, reopenings) =>
      transaction(client => release(client, [runId, doneAt, reopenings])),
    reserve: run => transaction(client => reserve(client, run)),
    async settle(runId, isReopened) {
      await pool.query(
        `update coordinator.admission
         set reserved_until = null, reopenings = reopenings - case when $2 then 0 else 1 end
         where run_id = $1 and reserved_until is not null`,
        [runId, isReopened],
      )
    },
    withdraw: (run, isStored) => transaction(client => withdraw(client, run, isStored)),
    async heldAlike(projectId, likeness) {
      const { rows } = await pool.query(
        `select run_id from coordinator.admission
         where project_id = $1 and released_at is null and likeness = $2`,
        [projectId, likeness],
      )
      return rows.map(row => Number(row.run_id))
    },
    async held(shards) {
      const { rows } = await pool.query(
        `select run_id from coordinator.admission where released_at is null and shard = any($1) order by run_id`,
        [shards],
      )
      return rows.map(row => Number(row.run_id))
    },
  }
}

/** A run that is withdrawn has neither an announcement nor an admission. */
const announced = `
  select from coordinator.admission
  where run_id = $1 and not exists (select from coordinator.outbox where subject = $2)`

const lockProject = (client: PoolClient, projectId: number) =>
  client.query(`select pg_advisory_xact_lock($1, $2)`, [lockOfAdmissions, projectId % 2 ** 31])

/**
 * Two statements: the first one waits for a session that is being stored, which is only visible to a statement that
 * begins afterwards.
 */
async function release(client: PoolClient, released: Parameters<Admissions['release']>): Promise<void> {
  const { rowCount } = await client.query(
    `update coordinator.admission set released_at = now(), done_at = $2
     where run_id = $1 and released_at is null
       and (reopenings <= coalesce($3, reopenings) or reserved_until < now())`,
    released,
  )
  if (rowCount === 0) return
  await client.query(`delete from coordinator.login_session where run_id = $1`, [released[0]])
}

const acquire = `
  update coordinator.admission
  set released_at = null, done_at = null, archived_at = null, reopenings = $2,
    reserved_until = now() + interval '30 seconds'
  where run_id = $1`

async function reserve(client: PoolClient, { runId, projectId, nth }: Reopening) {
  await lockProject(client, projectId)
  const runIds = (await holders(client, projectId)).filter(holder => holder !== runId)
  if (runIds.length >= concurrentRuns) return { type: 'full' as const, runIds }
  await client.query(acquire, [runId, nth])
  return { type: 'reserved' as const }
}

const insertion = `
  with spent as (${spending({ projectId: '$1::bigint', bytes: '$5::bigint', limit: '$6::bigint' })})
  insert into coordinator.admission (project_id, enqueued_at, url, likeness)
  select $1::bigint, $2::timestamptz, $3::text, $4::text from spent
  returning run_id`

async function admit(client: PoolClient, wanted: Wanted, announce: Announce): Promise<Admitted> {
  const { projectId, url, key, likeness, refusal, request, at } = wanted
  await lockProject(client, projectId)
  const earlier = key === null ? null : await findEarlier(client, { ...wanted, key })
  if (earlier !== null) return { type: 'replayed', ...earlier }

  const done = await youngest(client, wanted)
  if (done !== null) {
    if (key !== null) await keepKey(client, { ...wanted, key, runId: done.runId })
    return { type: 'reused', ...done }
  }
  if (refusal !== null) return { type: 'refused', refusal }

  const runIds = await holders(client, projectId)
  if (runIds.length >= concurrentRuns) return { type: 'full', runIds }

  const { rows } = await client.query(insertion, [projectId, at, url, likeness, request.bytes, request.limit])
  if (!rows[0]) return { type: 'spent' }
  const runId = Number(rows[0].run_id)
  if (key !== null) await keepKey(client, { ...wanted, key, runId })
  const outboxId = await enqueue(client, schema, { ...announce(runId), expectLast: 0 })
  return { type: 'admitted', runId, outboxId }
}

const withdrawal = `
  with withdrawn as (delete from coordinator.admission where run_id = $1 returning project_id)
  ${refunding({ bytes: '$2::bigint' })}`

async function withdraw(
  client: PoolClient,
  { runId, outboxId, requestBytes }: Withdrawn,
  isStored: () => Promise<boolean>,
): Promise<void> {
  // Waits for a relay that publishes the row right now. Its response may be lost, and it keeps the row.
  const { rowCount } = await client.query(`delete from coordinator.outbox where id = $1`, [outboxId])
  if (rowCount === 0 || (await isStored())) return
  await client.query(`delete from coordinator.idempotency_key where run_id = $1`, [runId])
  await client.query(withdrawal, [runId, requestBytes])
}

async function holders(client: PoolClient, projectId: number): Promise<number[]> {
  const { rows } = await client.query(
    `select run_id from coordinator.admission where project_id = $1 and released_at is null`,
    [projectId],
  )
  return rows.map(row => Number(row.run_id))
}
