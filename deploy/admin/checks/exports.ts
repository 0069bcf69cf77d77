/**
 * Checks the files of exports that Postgres stores and that have not expired: all bytes are stored, in parts without a
 * gap. Files in buckets are not checked.
 */

import { isKeptFile } from '@tidemark/extractor/adapters/exports/export-rows'
import { hasTable } from '../../postgres/has-table.ts'
import type { Client } from '../open-instance.ts'
import { count, type Findings } from './check.ts'

const kept = `${isKeptFile} and expires_at > now()`

const wrong = `
  select export.id, export.bytes, coalesce(sum(octet_length(part.data)), 0) as stored
  from content.export left join content.export_part as part on part.export_id = export.id
  where ${kept}
  group by export.id
  having coalesce(sum(octet_length(part.data)), 0) <> export.bytes or count(part.number) <> coalesce(max(part.number), 0)
  order by export.id`

export async function checkExports(client: Pick<Client, 'query'>): Promise<Findings> {
  if (!(await hasTable(client, 'content.export'))) return { looked: count(0, 'export'), wrong: [] }
  const all = await client.query<{ count: number }>(
    `select count(*)::int as count from content.export where ${kept}`,
  )
  const found = await client.query<{ id: number; bytes: number; stored: number }>(wrong)
  return {
    looked: count(all.rows[0]?.count ?? 0, 'export'),
    wrong: found.rows.map(
      ({ id, bytes, stored }) => `export ${id} has ${bytes} bytes, and ${stored} are stored`,
    ),
  }
}
