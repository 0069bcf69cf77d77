/** Reads batches of scans: their views, and their results piece by piece. */
import type { BatchStatus } from '@tidemark/contracts/http/scan-batch'
import type { StoredBatch } from '@tidemark/contracts/rpc/batches'
import type { Pool } from 'pg'
import { decompress } from './zstd.ts'

type Reads = Pick<Pool, 'query'>

/** `deleted` batches exist for no client, until their rows are removed. */
export type BatchState = BatchStatus | 'deleted'

/** The columns of `BatchRow`. */
export const batchColumns = `id, project_id, webhook_url, created_at, state, total, ok, failed, refused, cancelled,
  started_at, ended_at, expires_at`

export type BatchRow = {
  id: number
  project_id: number
  webhook_url: string | null
  created_at: Date
  state: BatchState
  total: number
  ok: number
  failed: number
  refused: number
  cancelled: number
  started_at: Date | null
  ended_at: Date | null
  expires_at: Date | null
}

type Counted = Pick<BatchRow, 'total' | 'ok' | 'failed' | 'refused' | 'cancelled'>

/** Returns the counts of a batch. They add up to `total`. */
export const countsOf = ({ total, ok, failed, refused, cancelled }: Counted): StoredBatch['counts'] => ({
  total,
  pending: total - ok - failed - refused - cancelled,
  ok,
  failed,
  refused,
  cancelled,
})

export function batchView(row: BatchRow): StoredBatch {
  const counts = countsOf(row)
  return {
    id: row.id,
    status: row.state === 'deleted' ? 'cancelled' : row.state,
    counts,
    progress: (counts.total - counts.pending) / counts.total,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.ended_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    webhook_url: row.webhook_url,
  }
}

/** Returns null if the project has no such batch. */
export async function findBatch(
  reads: Reads,
  projectId: number,
  batchId: number,
): Promise<StoredBatch | null> {
  const { rows } = await reads.query<BatchRow>(
    `select ${batchColumns} from content.batch where id = $1 and project_id = $2 and state <> 'deleted'`,
    [batchId, projectId],
  )
  return rows[0] ? batchView(rows[0]) : null
}

/** Returns the batches of a project, newest first. */
export async function listBatches(
  reads: Reads,
  projectId: number,
  {
    limit,
    offset,
    before = Number.MAX_SAFE_INTEGER,
  }: { limit: number; offset: number; before?: number | undefined },
): Promise<StoredBatch[]> {
  const { rows } = await reads.query<BatchRow>(
    `select ${batchColumns} from content.batch where project_id = $1 and state <> 'deleted' and id < $4
     order by id desc limit $2 offset $3`,
    [projectId, limit, offset, before],
  )
  return rows.map(batchView)
}

/** Returns the number of results before the first URL without one. */
export async function countReady(reads: Reads, batchId: number): Promise<number> {
  const { rows } = await reads.query<{ ready: number }>(
    `select coalesce(
       (select min(number) from content.batch_item where batch_id = $1 and state = 'pending'),
       (select total from content.batch where id = $1), 0) as ready`,
    [batchId],
  )
  return rows[0]?.ready ?? 0
}

/** A result: the item as JSON; null: the batch was cancelled before the URL had one. */
export type BatchResult = { index: number; url: string; json: Buffer | null }

/** Maximum results that are read at once, because each can have several megabytes. */
const resultsAtOnce = 4
const maxItemBytes = 64 * 1024 ** 2

/**
 * Yields the results from one index up to another, without the latter. Throws if the batch is deleted meanwhile, so that no
 * part of its results looks like all of them.
 */
export async function* readResults(
  reads: Reads,
  batchId: number,
  { from, to }: { from: number; to: number },
): AsyncGenerator<BatchResult> {
  for (let at = from; at < to; at += resultsAtOnce) {
    const end = Math.min(at + resultsAtOnce, to)
    const { rows } = await reads.query<{ number: number; url: string; item: Buffer | null }>({
      name: 'batch-results',
      text: `select number, url, item from content.batch_item
        where batch_id = $1 and number >= $2 and number < $3 order by number`,
      values: [batchId, at, end],
    })
    for (const { number, url, item } of rows)
      yield { index: number, url: JSON.parse(url), json: item && decompress(item, maxItemBytes) }
    if (rows.length < end - at) throw new Error(`batch ${batchId} was deleted while its results were read`)
  }
}
