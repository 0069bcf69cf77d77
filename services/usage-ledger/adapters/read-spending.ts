/** Sums the units and costs of all projects for the operator: of a UTC day, and of its month until then. */

import type { ReadSpendingResponse, readSpending as rpc, Spent } from '@tidemark/contracts/rpc/operator'
import type { RequestOf } from '@tidemark/contracts/rpc/rpc'
import type { Pool } from 'pg'

const sums = `coalesce(sum(pages), 0)::bigint as pages, coalesce(sum(cloud_pages), 0)::bigint as "cloudPages",
    coalesce(sum(cloud_cost_usd), 0)::float8 as "cloudCostUsd", coalesce(sum(model_calls), 0)::bigint as "modelCalls"`
const ofDay = `day = $1`
const ofMonth = `day >= date_trunc('month', $1::date) and day <= $1`

const sumOf = (days: string) => `select ${sums} from ledger.counter where ${days}`
const selectByUnits = `
  select project_id as "projectId", ${sums} from ledger.counter where ${ofDay}
  group by project_id having sum(pages + cloud_pages + model_calls) > 0
  order by sum(pages + cloud_pages) desc, sum(cloud_cost_usd) desc, project_id limit $2`
const selectByCost = `
  select project_id as "projectId", ${sums} from ledger.counter where ${ofMonth}
  group by project_id having sum(cloud_cost_usd) > 0 or sum(model_calls) > 0
  order by sum(cloud_cost_usd) desc, sum(model_calls) desc, project_id limit $2`

type OfProject = ReadSpendingResponse['byUnits'][number]

/** Returns the handler of `readSpending`. */
export const readSpending =
  (pool: Pool) =>
  async ({ day, limit }: RequestOf<typeof rpc>): Promise<ReadSpendingResponse> => {
    const [today, month, byUnits, byCost] = await Promise.all([
      pool.query<Spent>(sumOf(ofDay), [day]),
      pool.query<Spent>(sumOf(ofMonth), [day]),
      pool.query<OfProject>(selectByUnits, [day, limit]),
      pool.query<OfProject>(selectByCost, [day, limit]),
    ])
    return {
      today: today.rows[0] as Spent,
      month: month.rows[0] as Spent,
      byUnits: byUnits.rows,
      byCost: byCost.rows,
    }
  }
