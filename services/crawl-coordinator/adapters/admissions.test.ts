/** Which run a start returns: a new one, that of its key, or a finished equal one. */
import { concurrentRuns } from '@tidemark/contracts/tiers'
import { openDatabase } from '@tidemark/db/database'
import { inTransaction } from '@tidemark/db/transaction'
import { migratedDatabase } from '@tidemark/testing/databases'
import { test } from 'tap'
import { database } from '../database.ts'
import { type Admissions, admissions } from './admissions.ts'

type Wanted = Parameters<Admissions['admit']>[0]

const url = 'https://a.example/'

test('A start of a run', async t => {
  const fresh = await migratedDatabase(database)
  const { pool, close } = await openDatabase(fresh.url, database, { poolSize: 2, name: 'admissions' })
  t.teardown(async () => {
    await close()
    await fresh.drop()
  })
  const slots = admissions({ pool, transaction: work => inTransaction(pool, work) })
  const start = (projectId: number, more: Partial<Wanted> = {}) => {
    const wanted: Wanted = {
      ...{ projectId, url, key: null, fingerprint: 'f', likeness: null, maxAgeSeconds: null, refusal: null },
      ...{ request: { bytes: 1, limit: 1_000 }, at: new Date().toISOString(), ...more },
    }
    return slots.admit(wanted, runId => ({ subject: `runs.${runId}`, payload: Buffer.from('') }))
  }
  const started = async (projectId: number, more: Partial<Wanted> = {}): Promise<number> => {
    const admitted = await start(projectId, more)
    if (admitted.type !== 'admitted') throw new Error(admitted.type)
    return admitted.runId
  }

  await t.test('returns the run of its key for a day', async t => {
    const key = 'k'
    const runId = await started(1, { key })
    t.match(await start(1, { key }), { type: 'replayed', runId, url, sameRequest: true })
    t.match(await start(1, { key, fingerprint: 'g' }), { type: 'replayed', runId, sameRequest: false })
    t.ok(await started(2, { key }), 'keys of other projects are other keys')
    await pool.query(`update coordinator.idempotency_key set created_at = now() - interval '24 hours'`)
    const next = await started(1, { key })
    t.match(await start(1, { key }), { type: 'replayed', runId: next }, 'then the key is free again')
  })

  await t.test('returns an equal run that is done and young enough', async t => {
    const alike = { likeness: 'same', maxAgeSeconds: 60 }
    const runId = await started(3, alike)
    t.not(await started(3, alike), runId, 'none that has not ended')
    const failed = await started(3, alike)
    const doneAt = new Date().toISOString()
    await slots.release(runId, doneAt, 0)
    await slots.release(failed, null, 0)
    t.match(await start(3, { ...alike, key: 'k' }), { type: 'reused', runId, url })
    t.match(await start(3, { key: 'k' }), { type: 'replayed', runId }, 'the key keeps it')
    const later = (seconds: number) => new Date(Date.parse(doneAt) + seconds * 1_000).toISOString()
    t.match(await start(3, { ...alike, at: later(60) }), { type: 'reused', runId })
    t.match(await start(3, { ...alike, at: later(61) }), { type: 'admitted' })
    t.match(await start(3, { ...alike, likeness: 'other' }), { type: 'admitted' })
    t.match(await start(4, alike), { type: 'admitted' }, 'none of another project')
    await pool.query('insert into coordinator.deletion (run_id) values ($1)', [runId])
    t.match(await start(3, alike), { type: 'admitted' }, 'none that is deleted')
  })

  await t.test('needs a free slot, but not beside that of the run itself', async t => {
    const runIds: number[] = []
    while (runIds.length < concurrentRuns) runIds.push(await started(5))
    t.strictSame(await start(5), { type: 'full', runIds })
    const [ended = 0, other = 0] = runIds
    t.strictSame(await slots.reserve({ runId: ended, projectId: 5, nth: 1 }), { type: 'reserved' })
    await slots.release(ended, null, 0)
    t.match(await slots.find(ended), { isReleased: false }, 'its earlier end does not release it')
    await slots.settle(ended, false)
    await slots.release(ended, null, 0)
    t.match(await slots.find(ended), { isReleased: true }, 'unless it was not reopened')
    await slots.release(other, null, 0)
    await started(5)
    t.strictSame(await slots.reserve({ runId: ended, projectId: 5, nth: 1 }), { type: 'reserved' })
    await slots.settle(ended, true)
    await slots.release(ended, null, 0)
    t.match(await slots.find(ended), { isReleased: false })
    await slots.release(ended, null, 1)
    t.match(await slots.find(ended), { isReleased: true }, 'its next end does')
  })
})
