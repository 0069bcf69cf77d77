/** What docs/operations.md and docs/operating.md have an operator ask of Postgres, as they write it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const inBlocks = /^```sql\n([\s\S]+?)^```/gm
const inLine = /`(select [^`]+)`/g

/** Without remarks, and with a process that is nobody's where one is to be put in; `select …` stands for any. */
function statementsIn(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8')
  return [...text.matchAll(inBlocks), ...text.matchAll(inLine)]
    .flatMap(([, said = '']) => said.replace(/--.*$/gm, '').split(';'))
    .map(statement => statement.trim().replace('(PID)', '(0)'))
    .filter(statement => statement.startsWith('select') && !statement.includes('…'))
}

test('Whatever the documents ask of Postgres, it answers', async t => {
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
