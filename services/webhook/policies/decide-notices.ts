/**
 * Decides the notices of runs that select them: the start, each batch of pages, and a failure. The transaction of the
 * decision also stores the checkpoint, so that neither a crash nor a repeated commit leads to a second notice.
 */
import type { PoolClient } from 'pg'
import { type Finished, pagesOf, type Settled } from '../adapters/commits.ts'
import { type Notice, recordNotices } from '../adapters/notices.ts'
import {
  lockBatching,
  type PageBatching,
  type PageSubscriptions,
  storeBatching,
} from '../adapters/page-batching.ts'
import { type WantedRun, wantedRuns } from '../adapters/runs.ts'
import type { Waiting } from '../concurrency/outstanding.ts'
import { cutBatches } from '../domain/notice.ts'

/** Decides the notices of runs that have started. @param started the trace of each run by its id */
export async function decideStarts(
  client: PoolClient,
  started: ReadonlyMap<number, string | null>,
): Promise<Waiting[]> {
  const wanted = await wantedRuns(client, [...started.keys()])
  const notices = [...wanted.values()].flatMap((run): Notice[] => {
    const { runId, url, startedAt, notices } = run
    if (startedAt === null || !notices.includes('crawl.started')) return []
    const trace = started.get(runId) ?? null
    return [{ ...aboutOf(run), event: 'crawl.started', facts: { runId, url, startedAt }, trace }]
  })
  return recordNotices(client, notices)
}

/**
 * Adds settled pages to the batches of their runs, and decides the batches that are full. A run that has ended gets its
 * last batch.
 */
export async function decidePages(
  client: PoolClient,
  facts: { settled: readonly Settled[]; finished: readonly Finished[] },
  subscriptions: PageSubscriptions,
  waitMs: number,
): Promise<Waiting[]> {
  const { settled, finished } = facts
  const ended = new Set(finished.map(({ runId }) => runId))
  const withPages = new Set(settled.map(({ runId }) => runId))
  const selected = await subscriptions.among(client, withPages.union(ended))
  subscriptions.forget([...ended])
  if (selected.size === 0) return []
  const runs = await wantedRuns(client, [...selected])
  const runIds = [...runs.keys()]
  const rows = await lockBatching(
    client,
    runIds,
    runIds.filter(runId => withPages.has(runId)),
  )
  const bySettled = Map.groupBy(settled, ({ runId }) => runId)
  const taken = rows.map(row => take(row, bySettled.get(row.runId) ?? []))
  return cutAll(client, taken, { runs, isAll: runId => ended.has(runId), waitMs })
}

/** Decides, in the caller's transaction, to send all waiting pages of a run in batches. */
export async function decideDuePages(client: PoolClient, runId: number, waitMs: number): Promise<Waiting[]> {
  const rows = await lockBatching(client, [runId], [])
  const runs = await wantedRuns(client, [runId])
  return cutAll(client, rows, { runs, isAll: () => true, waitMs })
}

/** Returns the row with the pages of commits that it does not count yet. */
function take(row: PageBatching, settled: readonly Settled[]): PageBatching {
  const fresh = settled.filter(({ sequence }) => sequence > row.sequence)
  const pages = fresh.flatMap(pagesOf)
  return {
    ...row,
    pages: row.pages + pages.length,
    sequence: fresh.at(-1)?.sequence ?? row.sequence,
    waiting: [...row.waiting, ...pages],
  }
}

type Cutting = {
  runs: ReadonlyMap<number, WantedRun>
  isAll: (runId: number) => boolean
  waitMs: number
}

/** Decides and stores the batches of runs that are not deleted. */
async function cutAll(
  client: PoolClient,
  rows: readonly PageBatching[],
  { runs, isAll, waitMs }: Cutting,
): Promise<Waiting[]> {
  const notices: Notice[] = []
  const stored: PageBatching[] = []
  for (const row of rows) {
    const { runId, batches: before, waiting } = row
    const run = runs.get(runId)
    if (run === undefined) continue
    const { batches, rest } = cutBatches(waiting, isAll(runId))
    for (const [n, pages] of batches.entries()) {
      const facts = { runId, url: run.url, batch: before + n + 1, pages }
      notices.push({ ...aboutOf(run), event: 'page.fetched', facts, trace: null })
    }
    stored.push({ ...row, batches: before + batches.length, waiting: rest })
  }
  await storeBatching(client, stored, waitMs)
  return recordNotices(client, notices)
}

const aboutOf = ({ projectId, target }: WantedRun) => ({ projectId, target })
