/** The lines of two pages beside each other. */
import fc from 'fast-check'
import { test } from 'tap'
import { besides } from './web/screens/line-pairs.ts'

type Change = 'same' | 'added' | 'removed'
const words = [{ change: 'same' as const, text: 'x' }]
const line = (change: Change, text: string, isReplaced = false) => ({
  ...{ change, text },
  ...(isReplaced && { words }),
})
const textsOf = (lines: Parameters<typeof besides>[0]) =>
  besides(lines).map(({ earlier, later }) => `${earlier?.text ?? '-'}|${later?.text ?? '-'}`)

test('A line stands beside the line that replaces it', async t => {
  t.strictSame(
    textsOf([
      line('same', 'a'),
      line('removed', 'b', true),
      line('added', 'new'),
      line('added', 'B', true),
      line('same', 'c'),
      line('removed', 'd'),
    ]),
    ['a|a', '-|new', 'b|B', 'c|c', 'd|-'],
  )
  t.strictSame(textsOf([line('removed', 'a'), line('removed', 'b'), line('added', 'A')]), ['a|A', 'b|-'])
})

test('Each line is in one row, in its order, and no row is empty', async t => {
  const lines = fc.array(
    fc
      .tuple(fc.constantFrom<Change>('same', 'added', 'removed'), fc.boolean())
      .map(([change, isReplaced]) => ({ change, isReplaced: isReplaced && change !== 'same' })),
  )
  fc.assert(
    fc.property(lines, all => {
      const given = all.map(({ change, isReplaced }, n) => line(change, String(n), isReplaced))
      const rows = besides(given)
      const column = (side: 'earlier' | 'later') => rows.flatMap(row => row[side] ?? [])
      t.strictSame(
        column('earlier'),
        given.filter(({ change }) => change !== 'added'),
      )
      t.strictSame(
        column('later'),
        given.filter(({ change }) => change !== 'removed'),
      )
      return rows.every(({ earlier, later }) => earlier !== null || later !== null)
    }),
  )
})
