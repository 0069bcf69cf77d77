/**
 * USAGE → rows: a unit for each token, once, and counters that grow by exactly the units that were new. Both
 * happen in one statement, so no delivery, however often repeated, is counted twice.
 */
import { streams } from '@tidemark/contracts/subjects'
import type { Projection } from '@tidemark/db/projector'
import { readUnitsSpent } from '../adapters/commits.ts'
import { readable } from '../adapters/readable.ts'

const record = `
  with fresh as (
    insert into ledger.unit (token, project_id, run_id, page_id, kind, day, sequence)
    select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::date[], $7::bigint[])
    on conflict (token) do nothing
    returning project_id, day, kind
  )
  insert into ledger.counter (project_id, day, pages, cloud_pages)
  select project_id, day, count(*) filter (where kind = 'page'), count(*) filter (where kind = 'cloud_page')
  from fresh group by project_id, day
  on conflict (project_id, day) do update
  set pages = counter.pages + excluded.pages, cloud_pages = counter.cloud_pages + excluded.cloud_pages`

/** What it reads and which tables, of schema `ledger`, it alone writes: all that a rebuild may empty. */
export const ledgerProjection = {
  name: 'ledger',
  stream: streams.usage,
  filter: 'usage.*',
  tables: ['unit', 'counter'],
} as const

export const recordUnits =
  (report: (error: unknown) => void): Projection['apply'] =>
  async (client, messages) => {
    const units = readable(messages, readUnitsSpent, report).flatMap(({ sequence, value }) =>
      value.flatMap(({ units, ...spent }) => units.map(unit => ({ ...unit, ...spent, sequence }))),
    )
    if (units.length === 0) return
    await client.query(record, [
      units.map(unit => unit.token),
      units.map(unit => unit.projectId),
      units.map(unit => unit.runId),
      units.map(unit => unit.pageId),
      units.map(unit => unit.kind),
      units.map(unit => unit.day),
      units.map(unit => unit.sequence),
    ])
  }
