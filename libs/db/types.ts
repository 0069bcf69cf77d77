/** Parses column values: BIGINT as a number, because all values stay below 2^53, and other types like `pg`. */
import pg from 'pg'

const int8 = 20
const int8Array = 1016

/** Returns the parsers, for one connection of `pg` or for a pool. */
export function columnTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides()
  types.setTypeParser(int8, Number)
  types.setTypeParser(int8Array, numbersOf)
  return types
}

/** Parses arrays of one dimension, such as `{1,2,NULL}`. */
function numbersOf(text: string): (number | null)[] {
  if (text === '{}') return []
  return text
    .slice(1, -1)
    .split(',')
    .map(item => (item === 'NULL' ? null : Number(item)))
}
