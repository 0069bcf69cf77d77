/** Checks that every batch of scans has one item for each of its URLs, and that its counts are those of its items. */
import { hasTable } from '../../postgres/has-table.ts'
import type { Client } from '../open-instance.ts'
import type { Findings } from './check.ts'

const wrong = `
  select batch.id from content.batch left join content.batch_item as item on item.batch_id = batch.id
  where batch.state <> 'deleted'
  group by batch.id
  having count(item.number) <> batch.total or count(*) filter (where item.state = 'ok') <> batch.ok
    or count(*) filter (where item.state = 'failed') <> batch.failed
    or count(*) filter (where item.state = 'refused') <> batch.refused
    or count(*) filter (where item.state = 'cancelled') <> batch.cancelled
    or bool_or(item.state in ('ok', 'failed', 'refused') and item.item is null)
    or (batch.state = 'done' and bool_or(item.state = 'pending'))
  order by batch.id`

export async function checkBatches(client: Pick<Client, 'query'>): Promise<Findings> {
  if (!(await hasTable(client, 'content.batch'))) return { looked: countOf(0), wrong: [] }
  const all = await client.query<{ count: number }>(
    `select count(*)::int as count from content.batch where state <> 'deleted'`,
  )
  const found = await client.query<{ id: number }>(wrong)
  return {
    looked: countOf(all.rows[0]?.count ?? 0),
    wrong: found.rows.map(({ id }) => `batch ${id} has other counts than its items`),
  }
}

const countOf = (n: number): string => `${n} ${n === 1 ? 'batch' : 'batches'}`
