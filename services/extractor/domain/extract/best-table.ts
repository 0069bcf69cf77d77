/** The table of a page whose rows are the entries of a list. */
import type { HeadedTable } from './key-value.ts'
import type { NamePath } from './names.ts'

/** `columns` has the column of each property, or -1. */
export type BestTable = { table: HeadedTable; columns: number[] }

/** Returns the table whose headers name the most properties, at least half of them. */
export function bestTable(
  tables: readonly HeadedTable[],
  properties: readonly (readonly NamePath[])[],
): BestTable | null {
  const named = properties.map(names => names.map(path => path.at(-1) ?? ''))
  let best: (BestTable & { count: number }) | null = null
  for (const table of tables) {
    const columns = named.map(
      names => names.map(one => table.headers.indexOf(one)).find(at => at !== -1) ?? -1,
    )
    const count = columns.filter(at => at !== -1).length
    if (count > (best?.count ?? 0)) best = { table, columns, count }
  }
  return best === null || best.count * 2 < named.length ? null : best
}
