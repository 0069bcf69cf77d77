/** A migration runs while the previous version still works: it only adds, blocks nothing, and is never reverted. */
import type { MigrationStatements } from '@tidemark/db/database'
import { migrationClass } from '@tidemark/db/migrate'
import { test } from 'tap'
import { databases } from '../../deploy/local/entries.ts'
import { faultsIn, type Statement } from './migrations.ts'

type Made = { name: string; statements: Statement[]; goesBack: boolean; isTransaction: boolean }

async function migrations(): Promise<Made[]> {
  const found = (await databases()).flatMap(({ schema, migrations }) =>
    Object.entries(migrations).map(([name, migration]) => madeBy(`${schema}.${name}`, migration)),
  )
  return Promise.all(found)
}

async function madeBy(name: string, migration: MigrationStatements): Promise<Made> {
  const Class = migrationClass(migration)
  const one = new Class({}, {})
  await one.up()
  const statements = one.getQueries().map(sql => ({ migration: name, sql: String(sql) }))
  const goesBack = Object.hasOwn(Class.prototype, 'down')
  return { name, statements, goesBack, isTransaction: one.isTransactional() }
}

/**
 * Statements of existing migrations that break a rule without harm: they precede the first release, so no installation
 * runs an earlier version. Add to this list only for a reason as good.
 */
const harmless: ReadonlySet<string> = new Set([
  'account.Unfulfilled: drop not null',
  'account.Unfulfilled: index',
  'content.Deletions: index',
  'coordinator.Deletions: index',
  'coordinator.Keys: index',
  'coordinator.Keys: rows',
  'coordinator.Likeness: index',
  'ledger.Served: constraint',
  'ledger.Served: drop not null',
  'ledger.Waived: index',
  'read.Diff: index',
  'read.RunLookups: index',
  'scheduler.TickEnds: index',
  'scheduler.TickEnds: rows',
  'webhook.Attempts: index',
  'webhook.Redelivery: index',
])

test('Migrations', async t => {
  const all = await migrations()
  t.ok(all.length > 30, `${all.length} migrations`)

  await t.test('block nothing and change nothing that the previous version uses', async t => {
    const faults = all.flatMap(({ statements }) => faultsIn(statements))
    for (const { migration, rule, reason } of faults)
      t.ok(harmless.has(`${migration}: ${rule}`), `${migration}: ${rule}: ${reason}`)
    const found = new Set(faults.map(({ migration, rule }) => `${migration}: ${rule}`))
    for (const excepted of harmless) t.ok(found.has(excepted), `${excepted} is still an exception`)
  })

  await t.test('are never reverted', async t => {
    t.strictSame(
      all.filter(({ goesBack }) => goesBack).map(({ name }) => name),
      [],
    )
  })

  await t.test(
    'create an index concurrently outside of a transaction, after dropping the rest of a failed attempt',
    async t => {
      for (const { name, statements, isTransaction } of all) {
        const online = statements.filter(({ sql }) => /\bindex concurrently\b/i.test(sql))
        if (online.length === 0) continue
        t.notOk(isTransaction, name)
        t.match(online[0]?.sql, /drop index concurrently if exists/i, name)
      }
    },
  )
})

const refused: [string, string][] = [
  ['drop', 'alter table read.page drop column title'],
  ['drop', 'drop table read.page'],
  ['rename', 'alter table read.page rename column title to name'],
  ['column type', 'alter table read.page alter column depth type bigint'],
  ['set not null', 'alter table read.page alter column title set not null'],
  ['drop not null', 'alter table read.page alter column title drop not null'],
  ['not null without default', 'alter table read.page add column kind text not null, add column a int'],
  ['volatile default', 'alter table read.page add column made_at timestamptz default clock_timestamp()'],
  ['volatile default', 'alter table read.page add column n bigint generated always as identity'],
  ['constraint', 'alter table read.page add constraint positive check (depth >= 0)'],
  ['constraint', 'alter table read.page add column run bigint references read.run (id)'],
  ['index', 'create index on read.page (title)'],
  ['index', 'create unique index page_of_title on read.page (title)'],
  ['rows', "update read.page set title = ''"],
  ['lock', 'lock table read.page'],
  ['lock', 'reindex table read.page'],
]

const allowed = [
  'create table read.thing (id bigint primary key, kind text not null)',
  'alter table read.page add column rendered boolean not null default false',
  "alter table read.page add column price numeric(16, 6) not null default 0, add column kinds text[] default '{}'",
  'alter table read.page add constraint positive check (depth >= 0) not valid',
  'create index concurrently page_of_title on read.page (title)',
  "insert into read.setting values ('a', 1)",
]

test('A migration is refused', async t => {
  for (const [rule, sql] of refused) {
    const found = faultsIn([{ migration: 'm', sql }]).map(({ rule }) => rule)
    t.strictSame(found, [rule], sql)
  }
  await t.test('neither for additions nor for changes of tables that it creates itself', async t => {
    for (const sql of allowed) t.strictSame(faultsIn([{ migration: 'm', sql }]), [], sql)
    const own = [
      'create table a.b (n int)',
      'create index on a.b (n)',
      'alter table a.b add column m int not null',
      'update a.b set n = 1',
    ]
    t.strictSame(faultsIn(own.map(sql => ({ migration: 'm', sql }))), [])
  })
})
