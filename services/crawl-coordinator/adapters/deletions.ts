/**
 * Which runs were deleted, and which of them still have events in the stream. A deletion is noted before it is
 * decided, so that a crash in between leaves no run that nobody purges.
 */
import { subjects } from '@tidemark/contracts/subjects'
import type { Pool } from 'pg'

/** `sequence` is that of the run's last word, null while it is not known to be said. */
export type Deletion = { runId: number; sequence: number | null; ageSeconds: number }

export type Deletions = {
  /** The run is about to be deleted. */
  intend(runId: number): Promise<void>
  /** It is deleted, by the event at this sequence. */
  note(runId: number, sequence: number): Promise<void>
  /** It was not deleted after all. */
  forget(runId: number): Promise<void>
  /** Those with events that are to be purged now, the oldest first; at most `limit`. */
  due(limit: number): Promise<Deletion[]>
  /** Its events are purged. It becomes due once more, for what somebody may still have been writing. */
  purged(runId: number): Promise<void>
}

export const deletions = (pool: Pick<Pool, 'query'>): Deletions => ({
  async intend(runId) {
    await pool.query(`insert into coordinator.deletion (run_id) values ($1) on conflict do nothing`, [runId])
  },
  async note(runId, sequence) {
    await pool.query(
      `insert into coordinator.deletion (run_id, sequence) values ($1, $2)
       on conflict (run_id) do update set sequence = excluded.sequence`,
      [runId, sequence],
    )
  },
  async forget(runId) {
    await pool.query(`delete from coordinator.deletion where run_id = $1 and sequence is null`, [runId])
  },
  async due(limit) {
    const { rows } = await pool.query(
      `select run_id, sequence, extract(epoch from now() - requested_at)::float8 as age
       from coordinator.deletion where due_at <= now() order by due_at limit $1`,
      [limit],
    )
    return rows.map(({ run_id, sequence, age }) => ({
      runId: Number(run_id),
      sequence: sequence === null ? null : Number(sequence),
      ageSeconds: age,
    }))
  },
  async purged(runId) {
    // An announcement that a crash left behind could never be published again: its subject begins later now.
    // And nothing is left to archive: who looks for old runs need not pass by this one for ever, or to be told of it.
    await pool.query(
      `with unsent as (delete from coordinator.outbox where subject = $2),
         done as (update coordinator.admission
           set archived_at = coalesce(archived_at, now()), url = null, likeness = null where run_id = $1)
       update coordinator.deletion set purged_at = now(),
         due_at = case when purged_at is null then now() + interval '10 minutes' end
       where run_id = $1`,
      [runId, subjects.run(runId)],
    )
  },
})
