import { test } from 'tap'
import { pageIds } from './page-ids.ts'

/** Leases blocks of 1,000 after a delay, like Postgres. */
function leasing() {
  let leased = 0
  const query = async () => {
    await new Promise(resolve => setImmediate(resolve))
    return { rows: [{ first: 1 + 1000 * leased++ }] }
  }
  return { ids: pageIds({ query } as never), leased: () => leased }
}

test('Page ids', async t => {
  t.test('are reserved for one caller, even if others wait for the same blocks', async t => {
    const { ids, leased } = leasing()
    const takes = await Promise.all(Array.from({ length: 60 }, () => ids.reserve(50, 0)))
    const taken = takes.flatMap(take => Array.from({ length: 50 }, take))
    t.equal(new Set(taken).size, 3_000)
    t.equal(leased(), 3)
    t.throws(() => takes[0]?.(), RangeError, 'and no more than were reserved')
  })

  t.test('are greater than the last one of the run, and stay reserved', async t => {
    const { ids } = leasing()
    const before = await ids.reserve(2, 0)
    const after = await ids.reserve(1, 2_700)
    t.strictSame([before(), before()], [1, 2])
    t.equal(after(), 2_701, 'after another instance has used 2700')
    t.strictSame([(await ids.reserve(1, 3_500))(), (await ids.reserve(1, 0))()], [3_501, 3_502])
  })

  t.test('cost nothing if none are needed', async t => {
    const { ids, leased } = leasing()
    await ids.reserve(0, 0)
    t.equal(leased(), 0)
  })
})
