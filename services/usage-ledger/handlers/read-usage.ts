/** What a project has spent on a day, and in the whole month of that day. Days and months are those of UTC. */
import type { ReadUsage, ReadUsageAnswer } from '@tidemark/contracts/ask/usage'
import type { Pool } from 'pg'

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

export const readUsage =
  (pool: Pool) =>
  async ({ projectId, day }: ReadUsage): Promise<ReadUsageAnswer> => {
    const { rows } = await pool.query(sums, [projectId, day])
    const [sum] = rows
    return {
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
