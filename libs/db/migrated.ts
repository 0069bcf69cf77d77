/**
 * Checks whether a schema has all migrations of this version. Later ones do not matter, because migrations only add.
 */
import type { Pool } from 'pg'
import type { DatabaseDescription } from './database.ts'

/** SQLSTATE of a missing table or schema, and of missing privileges. */
const [nothingThere, notAllowed] = [new Set(['42P01', '3F000']), '42501']

/** Returns the first migration that has yet to run; null if all have run, or the role may not see them. */
export async function missingMigration(
  pool: Pick<Pool, 'query'>,
  { schema, migrations }: DatabaseDescription,
): Promise<string | null> {
  const ran = await namesOf(pool, schema)
  return ran && (Object.keys(migrations).find(name => !ran.has(name)) ?? null)
}

async function namesOf(pool: Pick<Pool, 'query'>, schema: string): Promise<Set<string> | null> {
  try {
    const { rows } = await pool.query<{ name: string }>(`select name from "${schema}".migration`)
    return new Set(rows.map(({ name }) => name))
  } catch (error) {
    const code = String(Reflect.get(error as object, 'code'))
    if (nothingThere.has(code)) return new Set()
    if (code === notAllowed) return null
    throw error
  }
}
