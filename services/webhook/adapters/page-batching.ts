/**
 * Stores in the table `webhook.page_batching` which pages of a run are in a batch, and those that wait for one. Only
 * runs that select `page.fetched` have a row.
 */
import type { Pool, PoolClient } from 'pg'
import type { FetchedPage } from '../domain/message.ts'
import type { Queued } from './commits.ts'

/** The pages of a run so far. */
export type PageBatching = {
  runId: number
  /** Number of batches. */
  batches: number
  /** Number of pages, in batches or waiting. */
  pages: number
  /** Position in RUNS of the last commit whose pages are counted. */
  sequence: number
  /** At most one batch of pages, in order. */
  waiting: FetchedPage[]
}

const create = `
  insert into webhook.page_batching (run_id) select run_id from unnest($1::bigint[]) as run_id order by run_id
  on conflict do nothing`

const find = `
  select run_id as "runId", batches, pages, sequence, waiting from webhook.page_batching
  where run_id = any($1) order by run_id for update`

/** The wait of the oldest page continues if no batch was made. */
const store = `
  update webhook.page_batching as stored
  set batches = changed.batches, pages = changed.pages, sequence = changed.sequence, waiting = changed.waiting,
    waits_until = case
      when changed.is_empty then null
      when stored.batches = changed.batches and stored.waits_until is not null then stored.waits_until
      else clock_timestamp() + make_interval(secs => $7)
    end
  from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[], $5::json[], $6::boolean[])
    as changed (run_id, batches, pages, sequence, waiting, is_empty)
  where stored.run_id = changed.run_id`

/** Locks the rows of runs. Runs in `withPages` get one; the others are left out if they have none. */
export async function lockBatching(
  client: PoolClient,
  runIds: readonly number[],
  withPages: readonly number[],
): Promise<PageBatching[]> {
  if (runIds.length === 0) return []
  if (withPages.length > 0) await client.query(create, [withPages])
  const { rows } = await client.query<PageBatching>(find, [runIds])
  return rows
}

/** Stores rows that the caller has locked. Waiting pages become a batch after `waitMs` at the latest. */
export async function storeBatching(
  client: PoolClient,
  rows: readonly PageBatching[],
  waitMs: number,
): Promise<void> {
  if (rows.length === 0) return
  await client.query(store, [
    rows.map(row => row.runId),
    rows.map(row => row.batches),
    rows.map(row => row.pages),
    rows.map(row => row.sequence),
    rows.map(row => JSON.stringify(row.waiting)),
    rows.map(row => row.waiting.length === 0),
    waitMs / 1000,
  ])
}

/** Returns at most 100 runs whose waiting pages are due. */
export async function findDuePages(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ run_id: number }>({
    name: 'find due pages',
    text: `select run_id from webhook.page_batching where waits_until <= clock_timestamp()
           order by waits_until limit 100`,
  })
  return rows.map(row => row.run_id)
}

/** Maximum number of cached runs. The others are read again. */
const maxKnown = 10_000

/**
 * Caches which runs select `page.fetched`. The first event of a run determines it, so a run is read at most once while
 * it is in progress, and its pages need no further query.
 */
export class PageSubscriptions {
  readonly #known = new Map<number, boolean>()

  record(queued: readonly Queued[]): void {
    for (const { runId, settings } of queued)
      this.#keep(runId, settings.webhook?.notices?.includes('page.fetched') ?? false)
  }

  /** Returns the runs among `runIds` that select their pages. */
  async among(client: PoolClient, runIds: ReadonlySet<number>): Promise<Set<number>> {
    const unknown = [...runIds].filter(runId => !this.#known.has(runId))
    const selected = new Set([...runIds].filter(runId => this.#known.get(runId)))
    if (unknown.length === 0) return selected
    const { rows } = await client.query<{ run_id: number }>(
      `select run_id from webhook.run where run_id = any($1) and 'page.fetched' = any(notices)`,
      [unknown],
    )
    const found = new Set(rows.map(row => row.run_id))
    for (const runId of unknown) this.#keep(runId, found.has(runId))
    return selected.union(found)
  }

  /** Frees the memory of runs that have ended. */
  forget(runIds: readonly number[]): void {
    for (const runId of runIds) this.#known.delete(runId)
  }

  #keep(runId: number, isSelected: boolean): void {
    this.#known.set(runId, isSelected)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }
}
