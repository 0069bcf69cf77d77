import type { Bus } from '@tidemark/bus/connection'
import type { StreamMessage } from '@tidemark/bus/read'
import { openDatabase } from '@tidemark/db/database'
import { ofProject } from '@tidemark/db/of-project'
import { migratedDatabase } from '@tidemark/testing/databases'
import { test } from 'tap'
import { database } from '../../database.ts'
import { openPageReads } from '../../pages/adapters/page-reads.ts'
import { sweepDeletedRuns } from './deleted-runs.ts'
import { commit, delivered, failed, finished, page, queued, settled, started } from './runs.examples.ts'
import { runsProjection } from './runs.ts'

const deleted = { type: 'RunDeleted', data: { projectId: 7, billedPages: 2 } }

test('A deleted run in the read model', async t => {
  const fresh = await migratedDatabase(database)
  const db = await openDatabase(fresh.url, database, { poolSize: 3, name: 'test' })
  t.teardown(async () => {
    await db.close()
    await fresh.drop()
  })
  const { pool } = db
  const project = runsProjection(() => {})
  const apply = (...messages: StreamMessage[]) => db.transaction(client => project(client, messages))
  const count = async (table: string) =>
    Number((await pool.query(`select count(*) from read.${table}`)).rows[0].count)
  const counts = async () => [await count('run'), await count('page'), await count('deleted_run')]
  const clear = () => pool.query('truncate read.run, read.page, read.deleted_run')
  const sweep = async () => {
    const stop = new AbortController()
    const report = (error: unknown) => t.fail(String(error))
    const ended = sweepDeletedRuns({ bus: { nc: {} } as Bus, pool, signal: stop.signal, report })
    for (let left = 400; left > 0 && (await count('deleted_run')) > 0; left--)
      await new Promise(resolve => setTimeout(resolve, 10))
    stop.abort()
    await ended
  }
  const life = [
    commit(66, 0, queued(66)),
    commit(66, 1, started),
    commit(66, 2, settled(page(1), page(2)), failed('x')),
    commit(66, 3, finished(2, 0), deleted),
    commit(66, 4, settled(page(3)), finished(3, 0)),
  ].map((message, n) => delivered(message, n + 1))

  await t.test('is out of sight with its pages as soon as that is read', async t => {
    await apply(...life.slice(0, 3))
    const reads = openPageReads(ofProject(pool))
    const window = { limit: 10, offset: 0 }
    t.equal((await reads.list(7, 66, window)).length, 2)
    await apply(...life.slice(3, 4))
    t.strictSame(await counts(), [0, 2, 1])
    t.strictSame(await reads.list(7, 66, window), [])
    t.equal(await reads.find(7, 1), null)
  })

  await t.test('loses its rows afterwards, and no late fact brings one back', async t => {
    await apply(...life.slice(4))
    await sweep()
    t.strictSame(await counts(), [0, 0, 0])
  })

  await t.test('leaves nothing, wherever a batch ends', async t => {
    for (let cut = 0; cut <= life.length; cut++) {
      await clear()
      await apply(...life.slice(0, cut))
      await apply(...life.slice(cut))
      await sweep()
      t.strictSame([...(await counts()), await count('pageless')], [0, 0, 0, 0], `cut at ${cut}`)
    }
  })

  await t.test('does not appear when only its last word is left to be read', async t => {
    await apply(...life.slice(3, 4))
    await sweep()
    t.strictSame(await counts(), [0, 0, 0])
  })

  await t.test('loses many rows in small transactions, and other runs lose none', async t => {
    await apply(delivered(commit(1, 0, queued(1)), 1), delivered(commit(2, 0, queued(2)), 2))
    const many = Array.from({ length: 2_500 }, (_, n) => page(10 + n))
    await apply(delivered(commit(1, 1, settled(...many)), 3), delivered(commit(2, 1, settled(page(1))), 4))
    await apply(delivered(commit(1, 2, deleted), 5))
    await sweep()
    t.strictSame(await counts(), [1, 1, 0])
  })
})
