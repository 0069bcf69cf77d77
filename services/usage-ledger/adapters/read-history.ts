/** What a project has spent day by day, days without anything too. */
import type { ReadUsageHistory, ReadUsageHistoryAnswer } from '@tidemark/contracts/ask/usage'
import type { Pool } from 'pg'

const each = `
  select to_char(date, 'YYYY-MM-DD') as date, coalesce(pages, 0)::bigint as pages,
    coalesce(cloud_pages, 0)::bigint as "cloudPages", coalesce(cloud_cost_usd, 0)::float8 as "cloudCostUsd"
  from generate_series($2::timestamp, $3::timestamp, interval '1 day') as date
  left join ledger.counter on project_id = $1 and day = date
  order by date`

export const readHistory =
  (pool: Pool) =>
  async ({ projectId, from, to }: ReadUsageHistory): Promise<ReadUsageHistoryAnswer> => {
    const { rows } = await pool.query<ReadUsageHistoryAnswer['days'][number]>(each, [projectId, from, to])
    return { days: rows }
  }
