/** Rows as parallel arrays, one per column: one statement writes any number of them. */
import type { Projection } from '@tidemark/db/projector'

/** A connection in the transaction of a batch. */
export type Client = Parameters<Projection['apply']>[0]

/** The columns: name in the statement, type, and source of the value. */
export type Table<Row> = readonly (readonly [
  string,
  string,
  (row: Row) => string | number | boolean | null,
])[]

/** Returns the SQL of the rows: `unnest($1::bigint[], …) as alias (id, …)`. */
export function unnest<Row>(table: Table<Row>, alias: string): string {
  const parameters = table.map(([, type], n) => `$${n + 1}::${type}[]`)
  return `unnest(${parameters.join(', ')}) as ${alias} (${table.map(([name]) => name).join(', ')})`
}

/** Returns the parameters of `unnest`. */
export const columns = <Row>(table: Table<Row>, rows: readonly Row[]) =>
  table.map(([, , value]) => rows.map(value))
