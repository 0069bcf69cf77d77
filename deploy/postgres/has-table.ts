/** Checks for tables. A backup of an earlier version lacks the tables that were added later. */
import type { Client } from 'pg'

/** @param table its name with the schema, quoted where SQL requires it, such as `content.batch` */
export async function hasTable(client: Pick<Client, 'query'>, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    table,
  ])
  return rows[0]?.found === true
}
