/** The table `content.site_reading`: runs whose site files (robots.txt, llms.txt) are not read yet. */
import type { ClientRequestSettings } from '@tidemark/contracts/rpc/fetch'
import type { Database } from '@tidemark/db/database'
import type { Projection } from '@tidemark/db/projector'
import type { Queued, Robots } from '../domain/site-reading.ts'

type Client = Parameters<Projection['apply']>[0]

export type SiteReading = {
  runId: number
  origin: string
  /** Trace of the request that began the run. */
  trace: string | null
  delayMs: number
  readsLlms: boolean
  readsLlmsFull: boolean
  /** Fields that the client of the run has set for its requests; null: none. */
  own: ClientRequestSettings | null
  /** Number of failed attempts. */
  attempts: number
}

/** Updates the table within the transaction of the projector's batch. */
export const siteUpdates = (client: Pick<Client, 'query'>) => ({
  queued: (runId: number, { origin, delayMs, respectsRobots, own }: Queued, trace: string | undefined) =>
    client.query(
      `insert into content.site_reading (run_id, origin, trace, delay_ms, respects_robots, own)
       select $1, $2, $3, $4, $5, $6 where $2::text is not null on conflict do nothing`,
      [runId, origin, trace ?? null, delayMs, respectsRobots, own],
    ),
  /** Makes the row of a run that ignores robots.txt due at once. Such a run does not wait for `robots`. */
  started: (runId: number) =>
    client.query(
      `update content.site_reading set due_at = now()
       where run_id = $1 and due_at is null and not respects_robots`,
      [runId],
    ),
  robots: (runId: number, { origin, delayMs, readsLlms, readsLlmsFull }: Robots) =>
    client.query(
      `update content.site_reading set due_at = now(), delay_ms = greatest(delay_ms, $3),
         reads_llms = $4, reads_llms_full = $5
       where run_id = $1 and origin = $2 and due_at is null and respects_robots`,
      [runId, origin, delayMs, readsLlms, readsLlmsFull],
    ),
  finished: (runId: number, at: string) =>
    client.query(
      `with never as (delete from content.site_reading where run_id = $1 and due_at is null)
       update content.site_reading set finished_at = $2 where run_id = $1 and due_at is not null`,
      [runId, at],
    ),
  deleted: (runId: number) => client.query('delete from content.site_reading where run_id = $1', [runId]),
})

/** Maximum age of a row after the end of its run. Older rows remain only if no extractor was running. */
const maxAgeAfterEnd = "interval '1 hour'"

export const siteReadings = (pool: Pick<Database['pool'], 'query'>) => ({
  /** Returns at most `limit` due rows except the excluded ones, longest waiting first. */
  async due(limit: number, excluded: readonly number[]): Promise<SiteReading[]> {
    const { rows } = await pool.query<SiteReading>(
      `with late as (delete from content.site_reading where finished_at < now() - ${maxAgeAfterEnd})
       select run_id as "runId", origin, trace, delay_ms as "delayMs", reads_llms as "readsLlms",
         reads_llms_full as "readsLlmsFull", own, attempts
       from content.site_reading
       where due_at <= now() and run_id <> all($2) and coalesce(finished_at >= now() - ${maxAgeAfterEnd}, true)
       order by due_at limit $1`,
      [limit, excluded],
    )
    return rows
  },
  async later(runId: number, seconds: number, attempts: number): Promise<void> {
    await pool.query(
      `update content.site_reading set due_at = now() + make_interval(secs => $2), attempts = $3
       where run_id = $1`,
      [runId, seconds, attempts],
    )
  },
  async done(runId: number): Promise<void> {
    await pool.query('delete from content.site_reading where run_id = $1', [runId])
  },
  /** Returns whether the run is deleted. No event may be appended to a deleted run. */
  async isDeleted(runId: number): Promise<boolean> {
    const { rowCount } = await pool.query('select from content.deletion where run_id = $1', [runId])
    return rowCount === 1
  },
})

export type SiteReadings = ReturnType<typeof siteReadings>
