/** Computes checksums of tables: the MD5 over the sorted rows. Equal rows have equal checksums in every database. */
import type { Client } from './open-instance.ts'

export type Checksum = { rows: number; md5: string }

/** Tables about the progress of projections and migrations. */
const bookkeeping = ['checkpoint', 'migration']

export type ChecksumOptions = {
  /** Name of a table with the ids of runs whose rows are being deleted. This table and these rows are skipped. */
  leaving?: string
  /** Tables that cannot be compared. */
  without?: readonly string[]
}

/** Returns the checksums of all tables of a schema by name. */
export async function checksumsOf(
  client: Pick<Client, 'query'>,
  schema: string,
  { leaving, without = [] }: ChecksumOptions = {},
): Promise<Map<string, Checksum>> {
  const sums = new Map<string, Checksum>()
  for (const { name, ofRun } of await tablesOf(client, schema)) {
    if (name === leaving || without.includes(name)) continue
    const staying = leaving && ofRun ? `where run_id not in (select run_id from ${schema}.${leaving})` : ''
    // As JSON with sorted names, because columns that were added later may be in another order.
    const { rows } = await client.query(
      `select count(*)::int as rows, coalesce(md5(string_agg(sum, '' order by sum collate "C")), '') as md5
       from (select md5(to_jsonb(t)::text) as sum from ${schema}.${name} t ${staying}) sums`,
    )
    sums.set(name, rows[0])
  }
  return sums
}

type Table = { name: string; ofRun: boolean }

async function tablesOf(client: Pick<Client, 'query'>, schema: string): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select quote_ident(table_name) as name, bool_or(column_name = 'run_id') as "ofRun"
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = $1 and table_type = 'BASE TABLE' and table_name <> all($2) group by 1 order by 1`,
    [schema, bookkeeping],
  )
  return rows
}
