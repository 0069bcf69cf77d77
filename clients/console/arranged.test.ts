/** Filtering and sorting in slices: the same as at once, and without keeping other tasks waiting. */
import fc from 'fast-check'
import { test } from 'tap'
import { arranged } from './web/data/arranged.ts'

type Row = { n: number; key: number }

const rowsOf = (keys: readonly number[]): Row[] => keys.map((key, n) => ({ n, key }))
const isWanted = ({ key }: Row): boolean => key % 3 !== 0
const compare = (a: Row, b: Row): number => a.key - b.key
const open = () => new AbortController().signal

test('Rows in slices', async t => {
  await t.test('are those of a filter and a stable sort', async t => {
    const keys = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 0, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 40 }), async (keys, times) => {
        const rows = rowsOf(Array.from({ length: times }, () => keys).flat())
        const kept = await arranged(rows, { isWanted, compare: null }, open())
        t.strictSame(kept, rows.filter(isWanted))
        const sorted = await arranged(rows, { isWanted, compare }, open())
        t.strictSame(sorted, rows.filter(isWanted).sort(compare))
      }),
      { numRuns: 30 },
    )
  })

  await t.test('let other tasks run, and stop when nothing needs them', async t => {
    const rows = rowsOf(Array.from({ length: 100_000 }, (_, n) => (n * 7919) % 100_003))
    let ticks = 0
    const ticking = setInterval(() => ticks++, 1)
    t.teardown(() => clearInterval(ticking))
    await arranged(rows, { isWanted, compare }, open())
    t.ok(ticks > 1, `${ticks} other tasks`)
    const stop = new AbortController()
    const work = arranged(rows, { isWanted, compare }, stop.signal)
    stop.abort(new Error('other words'))
    await t.rejects(work, /other words/)
  })
})
