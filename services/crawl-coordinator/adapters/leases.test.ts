/** How several coordinators share the shards of runs. */
import { openDatabase } from '@tidemark/db/database'
import { migratedDatabase } from '@tidemark/testing/databases'
import { test } from 'tap'
import { database } from '../database.ts'
import { type Leases, leases } from './leases.ts'

test('Leases of shards', async t => {
  const fresh = await migratedDatabase(database)
  const { pool, close } = await openDatabase(fresh.url, database, { poolSize: 2, name: 'leases' })
  t.teardown(async () => {
    await close()
    await fresh.drop()
  })
  const owners = ['a', 'b', 'c', 'd'].map(name => leases(pool, name)) as [Leases, Leases, Leases, Leases]
  const [a, b, c, d] = owners
  /** Each renews twice: owners of too many shards release some, then the others acquire them. */
  const renewAll = async (of: readonly Leases[]): Promise<number[][]> => {
    for (const owner of of) await owner.renew()
    const held: number[][] = []
    for (const owner of of) held.push([...(await owner.renew())].sort((a, b) => a - b))
    return held
  }
  const every = (step: number, from: number) => Array.from({ length: 64 / step }, (_, n) => from + n * step)

  await t.test('give all shards to one coordinator, and distribute them among several', async t => {
    t.equal((await a.renew()).size, 64)
    t.strictSame(await renewAll([a, b]), [every(2, 0), every(2, 1)])
    t.strictSame(await renewAll(owners), [every(4, 0), every(4, 1), every(4, 2), every(4, 3)])
  })

  await t.test('pass to the others after their end, and immediately after a release', async t => {
    await c.release()
    t.equal((await renewAll([a, b, d])).flat().length, 64)
    await pool.query(`update coordinator.shard_lease set until = now() where owner = 'a'`)
    await pool.query(`update coordinator.instance set until = now() where name = 'a'`)
    const held = await renewAll([b, d])
    t.strictSame(
      held.map(({ length }) => length),
      [32, 32],
    )
    t.equal(new Set(held.flat()).size, 64)
  })

  await t.test('last for ten seconds', async t => {
    await b.renew()
    const { rows } = await pool.query<{ seconds: number }>(
      `select extract(epoch from min(until) - now())::float8 as seconds from coordinator.shard_lease where owner = 'b'`,
    )
    const [{ seconds = 0 } = {}] = rows
    t.ok(seconds > 5 && seconds <= 10, `${seconds} s`)
  })

  await t.test('are no more than the share, even if Postgres expects a single free shard', async t => {
    await pool.query('delete from coordinator.instance')
    await pool.query('delete from coordinator.shard_lease where shard > 0')
    await pool.query('vacuum analyze coordinator.shard_lease')
    await pool.query('insert into coordinator.shard_lease (shard) select generate_series(1, 63)')
    await pool.query(`update coordinator.shard_lease set owner = null`)
    await pool.query(
      `insert into coordinator.instance (name, until) values ('b', now() + interval '1 minute')`,
    )
    t.equal((await a.renew()).size, 32)
  })
})
