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
    const takes = await Promise.all(Array.from({ length: 60 }, () => ids.reserve(50)))
    const taken = takes.flatMap(take => Array.from({ length: 50 }, take))
    t.equal(new Set(taken).size, 3_000)
    t.equal(leased(), 3)
    t.throws(() => takes[0]?.(), RangeError, 'and no more than were reserved')
  })

  t.test('stay reserved when the rest is dropped', async t => {
    const { ids } = leasing()
    const before = await ids.reserve(2)
    const waiting = ids.reserve(1_500)
    ids.drop()
    const after = await waiting
    t.strictSame([before(), before()], [1, 2])
    t.ok(after() > 1_000, 'and later ones only grow')
  })

  t.test('cost nothing if none are needed', async t => {
    const { ids, leased } = leasing()
    await ids.reserve(0)
    t.equal(leased(), 0)
  })
})
