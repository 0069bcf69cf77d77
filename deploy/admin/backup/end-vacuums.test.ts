/** A lock that lets Postgres cancel autovacuums. A session with the lock of a vacuum stands for one. */
import { freshDatabase } from '@tidemark/testing/servers'
import pg from 'pg'
import { test } from 'tap'
import { endVacuums } from './end-vacuums.ts'

test('The end of autovacuums', async t => {
  const fresh = await freshDatabase()
  const [client, vacuum] = [fresh.url, fresh.url].map(url => new pg.Client({ connectionString: url }))
  t.teardown(async () => {
    await Promise.all([client?.end(), vacuum?.end()])
    await fresh.drop()
  })
  if (client === undefined || vacuum === undefined) return
  await Promise.all([client.connect(), vacuum.connect()])
  await client.query('create table vacuumed (id int); create table other (id int)')
  const lasts = async () => {
    const began = performance.now()
    await endVacuums(client, ['"public"."vacuumed"', '"public"."other"'])
    return performance.now() - began
  }
  t.ok((await lasts()) < 1_000, 'nothing is awaited without one')

  await vacuum.query('begin; lock table vacuumed in share update exclusive mode')
  const { rows } = await client.query<{ ms: number }>(
    `select setting::int as ms from pg_settings where name = 'deadlock_timeout'`,
  )
  t.ok((await lasts()) > (rows[0]?.ms ?? Infinity), 'Postgres cancels an autovacuum only after this time')
  const held = await client.query(
    `select from pg_locks where mode = 'ShareLock' and relation = 'vacuumed'::regclass`,
  )
  t.equal(held.rowCount, 0, 'and the lock is not kept')
})
