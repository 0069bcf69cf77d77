/**
 * The table `coordinator.deletion`: deleted runs, and which of them still have events in the stream. A deletion is
 * recorded before it is decided, so that a crash in between leaves no run that is never purged.
 */
import { subjects } from '@tidemark/contracts/subjects'
import type { Pool } from 'pg'

/** `sequence` is the sequence of the run's last event; null until that event is known to be appended. */
export type Deletion = { runId: number; sequence: number | null; ageSeconds: number }

export type Deletions = {
  /** Records that the run is about to be deleted. If a crash has left such a record, its age starts again. */
  intend(runId: number): Promise<void>
  /** Records the sequence of the event that deleted the run. */
  note(runId: number, sequence: number): Promise<void>
  /** Removes the record of a run that was not deleted, unless the record is younger than `minAgeSeconds`. */
  forget(runId: number, minAgeSeconds: number): Promise<void>
  /** Returns the deletions whose events are to be purged now, the oldest first; at most `limit`. */
  due(limit: number): Promise<Deletion[]>
  /**
   * Records that the run's events are purged. It becomes due a second time, for events that were written
   * concurrently.
   */
  purged(runId: number): Promise<void>
}

export const deletions = (pool: Pick<Pool, 'query'>): Deletions => ({
  async intend(runId) {
    await pool.query(
      `insert into coordinator.deletion as known (run_id) values ($1)
       on conflict (run_id) do update set requested_at = now() where known.sequence is null`,
      [runId],
    )
  },
  async note(runId, sequence) {
    await pool.query(
      `insert into coordinator.deletion (run_id, sequence) values ($1, $2)
       on conflict (run_id) do update set sequence = excluded.sequence`,
      [runId, sequence],
    )
  },
  async forget(runId, minAgeSeconds) {
    await pool.query(
      `delete from coordinator.deletion
       where run_id = $1 and sequence is null and requested_at <= now() - make_interval(secs => $2)`,
      [runId, minAgeSeconds],
    )
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
    // An announcement that a crash left behind can never be published, because its subject begins later now. Nothing is
    // left to archive either, so the search for old runs skips this one.
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
