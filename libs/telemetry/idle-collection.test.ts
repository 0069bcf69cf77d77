import { test } from 'tap'
import { collectWhenIdle } from './idle-collection.ts'

const mb = 2 ** 20

test('Garbage is collected when a process becomes idle', async t => {
  /** Returns the numbers of the intervals after which garbage was collected. */
  const collectionsOf = async (heapBytes: number, ...busyShares: number[]) => {
    const after: number[] = []
    let count = 0
    const samples = (function* () {
      for (const busyShare of busyShares) {
        count++
        yield { busyShare, heapBytes }
      }
    })()
    await collectWhenIdle({ samples, collect: () => after.push(count) })
    return after
  }
  t.strictSame(await collectionsOf(100 * mb, 0.9, 0.05, 0.1, 0.1, 0), [3], 'once after its start')
  t.strictSame(
    await collectionsOf(100 * mb, 0, 0, 0.3, 0, 0.2, 0, 0.01),
    [2, 7],
    'and once after each time of work',
  )
  t.strictSame(await collectionsOf(300 * mb, 0, 0, 0), [], 'but not if that would stop it for long')
})
