/** The tables, sequences and migrations of the services, read from the catalog of Postgres. */

import type { Client } from 'pg'
import { hasTable } from '../../postgres/has-table.ts'

export type Table = { schema: string; name: string; columns: string[] }

type Queries = Pick<Client, 'query'>

/** The table in which each schema records its migrations. */
const migrationTable = 'migration'

/** Returns tables with their columns that are not generated, each after the tables that it references. */
export async function tablesOf(client: Queries, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select table_schema as schema, table_name as name, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = any($1) and table_type = 'BASE TABLE' and is_generated = 'NEVER' and table_name <> $2
     group by 1, 2 order by 1, 2`,
    [schemas, migrationTable],
  )
  const { rows: references } = await client.query<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
  )
  return inOrder(
    rows,
    Map.groupBy(references, ({ from }) => from),
  )
}

function inOrder(tables: readonly Table[], references: Map<string, { to: string }[]>): Table[] {
  const byName = new Map(tables.map(table => [nameOf(table), table]))
  const ordered = new Set<Table>()
  const take = (table: Table) => {
    for (const { to } of references.get(nameOf(table)) ?? []) {
      const first = byName.get(to)
      if (first !== undefined && first !== table) take(first)
    }
    ordered.add(table)
  }
  for (const table of tables) take(table)
  return [...ordered]
}

const nameOf = ({ schema, name }: Table) => `${schema}.${name}`

/** Returns the quoted name. */
export const sqlOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string => `"${schema}"."${name}"`

/** Returns the current values of sequences, which transactions do not isolate. */
export async function sequencesOf(client: Queries, schemas: readonly string[]) {
  const { rows } = await client.query<{ schema: string; name: string; last: string | null }>(
    `select schemaname as schema, sequencename as name, last_value::text as last from pg_sequences
     where schemaname = any($1) order by 1, 2`,
    [schemas],
  )
  return rows
}

/** Returns the names of the executed migrations by schema. Missing schemas are omitted. */
export async function migrationsOf(client: Queries, schemas: readonly string[]) {
  const ran: Record<string, string[]> = {}
  for (const schema of schemas) {
    if (!(await hasTable(client, `"${schema}".${migrationTable}`))) continue
    const { rows } = await client.query(`select name from "${schema}".${migrationTable} order by id`)
    ran[schema] = rows.map(({ name }) => name)
  }
  return ran
}
