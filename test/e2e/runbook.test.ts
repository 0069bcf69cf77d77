/** Executes the SQL statements of docs/operations.md and docs/operating.md against Postgres. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const inBlocks = /^```sql\n([\s\S]+?)^```/gm
const inLine = /`(select [^`]+)`/g

/**
 * Returns the statements without comments, with process id 0 for `(PID)`. Abbreviated examples with `…` are skipped.
 */
function statementsIn(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8')
  return [...text.matchAll(inBlocks), ...text.matchAll(inLine)]
    .flatMap(([, sql = '']) => sql.replace(/--.*$/gm, '').split(';'))
    .map(statement => statement.trim().replace('(PID)', '(0)'))
    .filter(statement => statement.startsWith('select') && !statement.includes('…'))
}

test('Every SQL statement of the documents is valid', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await client.connect()
  t.teardown(() => client.end())

  const statements = [...statementsIn('operations.md'), ...statementsIn('operating.md')]
  t.ok(statements.length >= 10, `${statements.length} statements`)
  for (const statement of statements) {
    const failed = await client.query(statement).then(
      () => null,
      (error: Error) => error.message,
    )
    t.equal(failed, null, statement)
  }
})
