/** Finds the earlier runs that a request can get instead of a new one, by its idempotency key or by equal settings. */
import type { PoolClient } from 'pg'

/** The run that a key has started, whatever its state. */
export type Earlier = { runId: number; url: string; enqueuedAt: string; sameRequest: boolean }

export type DoneRun = { runId: number; url: string; enqueuedAt: string }

export type Keyed = { projectId: number; key: string; fingerprint: string }

type Alike = { projectId: number; likeness: string | null; maxAgeSeconds: number | null; at: string }

/** Returns the run that a key has started within the last day, or null. */
export async function findEarlier(
  client: Pick<PoolClient, 'query'>,
  { projectId, key, fingerprint }: Keyed,
): Promise<Earlier | null> {
  const { rows } = await client.query<RunRow & { fingerprint: string }>(
    `select run_id, url, enqueued_at, fingerprint
     from coordinator.idempotency_key join coordinator.admission using (run_id)
     where idempotency_key.project_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    [projectId, key],
  )
  const [row] = rows
  return row ? { ...runOf(row), sameRequest: row.fingerprint === fingerprint } : null
}

/** Returns the latest finished run that is equal and young enough, except deleted ones. */
export async function youngest(
  client: PoolClient,
  { projectId, likeness, maxAgeSeconds, at }: Alike,
): Promise<DoneRun | null> {
  if (likeness === null || maxAgeSeconds === null) return null
  const { rows } = await client.query<RunRow>(
    `select run_id, url, enqueued_at from coordinator.admission
     where project_id = $1 and likeness = $2 and done_at >= $3::timestamptz - make_interval(secs => $4)
       and not exists (select from coordinator.deletion where deletion.run_id = admission.run_id)
     order by done_at desc limit 1`,
    [projectId, likeness, at, maxAgeSeconds],
  )
  const [row] = rows
  return row ? runOf(row) : null
}

type RunRow = { run_id: number; url: string; enqueued_at: Date }

const runOf = ({ run_id, url, enqueued_at }: RunRow): DoneRun => ({
  runId: Number(run_id),
  url,
  enqueuedAt: enqueued_at.toISOString(),
})

/** Stores the key of a run, in place of one that is older than a day. */
export async function keepKey(client: PoolClient, kept: Keyed & { runId: number }): Promise<void> {
  await client.query(
    `insert into coordinator.idempotency_key (project_id, key, run_id, fingerprint, created_at)
     values ($1, $2, $3, $4, now())
     on conflict (project_id, key) do update
     set run_id = excluded.run_id, fingerprint = excluded.fingerprint, created_at = excluded.created_at`,
    [kept.projectId, kept.key, kept.runId, kept.fingerprint],
  )
}
