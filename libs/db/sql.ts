/** Many rows in one statement, with every value a parameter of its own: bytes then travel as bytes. */

/** What the protocol can count. */
const mostParameters = 65_535

export type Clause = { text: string; values: unknown[] }

/**
 * `values ($1, $2), ($3, $4) …` for an insert into these columns, with its parameters. Numbering begins
 * after `first` parameters of the statement's own. Throws RangeError beyond 65,535 parameters.
 */
export function valuesClause<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  first = 0,
): Clause {
  const count = first + rows.length * columns.length
  if (rows.length === 0 || count > mostParameters) {
    throw new RangeError(`${rows.length} rows of ${columns.length} columns do not fit one statement`)
  }
  let at = first
  const tuples = rows.map(() => `(${columns.map(() => `$${++at}`).join(', ')})`)
  return {
    text: `values ${tuples.join(', ')}`,
    values: rows.flatMap(row => columns.map(column => row[column])),
  }
}
