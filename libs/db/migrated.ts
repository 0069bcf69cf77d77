/** Whether a schema is as this version needs it; what came later than this version is no matter, for migrations only add. */
import type { Pool } from 'pg'
import type { DatabaseDescription } from './database.ts'

/** As Postgres says that a table or its schema is not there, and that a role may not look. */
const [nothingThere, notAllowed] = [new Set(['42P01', '3F000']), '42501']

/** The first migration that has still to run, by name; null where all have, or where nobody lets us see. */
export async function missingMigration(
  pool: Pick<Pool, 'query'>,
  { schema, migrations }: DatabaseDescription,
): Promise<string | null> {
  const ran = await namesOf(pool, schema)
  return ran && (migrations.map(({ name }) => name).find(name => !ran.has(name)) ?? null)
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
