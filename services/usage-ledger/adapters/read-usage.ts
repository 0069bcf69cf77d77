/** Reads the units that a project has spent on a day, and in the whole month of that day. Days and months are in UTC. */
import type {
  ReadUsage,
  ReadUsageHistory,
  ReadUsageHistoryResponse,
  ReadUsageResponse,
} from '@tidemark/contracts/rpc/usage'
import type { Pool } from 'pg'
import type { ReadLong } from './long-reads.ts'

const sums = `
  select
    coalesce(sum(pages) filter (where day = $2), 0) as day_pages,
    coalesce(sum(cloud_pages) filter (where day = $2), 0) as day_cloud_pages,
    coalesce(sum(cloud_cost_usd) filter (where day = $2), 0) as day_cost,
    coalesce(sum(pages), 0) as month_pages,
    coalesce(sum(cloud_pages), 0) as month_cloud_pages,
    coalesce(sum(cloud_cost_usd), 0) as month_cost
  from ledger.counter
  where project_id = $1
    and day >= date_trunc('month', $2::date)
    and day < date_trunc('month', $2::date) + interval '1 month'`

/**
 * Sums up the rows of units, because counters cover whole days. The cast to a date uses the time zone of the session,
 * so one more day is scanned.
 */
const selectRecent = `
  select coalesce(sum(units) filter (where kind = 'cloud_page'), 0) as cloud_pages, coalesce(sum(cost_usd), 0) as cost
  from ledger.unit
  where project_id = $1 and day >= $2::timestamptz::date - 1 and created_at >= $2
    and (kind = 'cloud_page' or cost_usd > 0)`

/**
 * The limits of reads of the last day. Gateways wait two seconds, which include the wait until the ledger is current.
 */
export const recentLimits = { atOnce: 2, maxMs: 1_000, callerMs: 1_000 }

export const readUsage =
  (pool: Pool, readLong: ReadLong) =>
  async ({ projectId, day, since }: ReadUsage): Promise<ReadUsageResponse> => {
    const [{ rows }, recent] = await Promise.all([
      pool.query(sums, [projectId, day]),
      since === undefined ? null : readRecent(readLong, projectId, since),
    ])
    const [sum] = rows
    return {
      ...(recent !== null && { recent }),
      today: {
        pages: Number(sum.day_pages),
        cloudPages: Number(sum.day_cloud_pages),
        cloudCostUsd: Number(sum.day_cost),
      },
      month: {
        pages: Number(sum.month_pages),
        cloudPages: Number(sum.month_cloud_pages),
        cloudCostUsd: Number(sum.month_cost),
      },
    }
  }

async function readRecent(readLong: ReadLong, projectId: number, since: string) {
  const { rows } = await readLong({
    projectId,
    advice: 'The project has very many units of the last day. Try again later.',
    read: pool => pool.query(selectRecent, [projectId, since]),
  })
  return { cloudPages: Number(rows[0].cloud_pages), cloudCostUsd: Number(rows[0].cost) }
}

/** Selects the units that a project has spent day by day, with days without units. */
const selectDays = `
  select to_char(date, 'YYYY-MM-DD') as date, coalesce(pages, 0)::bigint as pages,
    coalesce(cloud_pages, 0)::bigint as "cloudPages", coalesce(cloud_cost_usd, 0)::float8 as "cloudCostUsd"
  from generate_series($2::timestamp, $3::timestamp, interval '1 day') as date
  left join ledger.counter on project_id = $1 and day = date
  order by date`

export const readHistory =
  (pool: Pool) =>
  async ({ projectId, from, to }: ReadUsageHistory): Promise<ReadUsageHistoryResponse> => {
    const { rows } = await pool.query<ReadUsageHistoryResponse['days'][number]>(selectDays, [
      projectId,
      from,
      to,
    ])
    return { days: rows }
  }
