import fc from 'fast-check'
import { test } from 'tap'
import { isWithin, prefixAsOf } from './prefix.ts'

const dated = (time: number) => ({ at: new Date(time).toISOString() })

/** Returns the length of the longest prefix without a later commit, by definition. */
const lengthAsOf = (times: number[], asOf: number): number => {
  const first = times.findIndex(time => time > asOf)
  return first < 0 ? times.length : first
}

test('The part of a log as of a time', async t => {
  const read = (times: number[], asOf: number) => {
    const prefix = prefixAsOf(asOf)
    return { count: times.filter(time => prefix.includes(dated(time))).length, span: prefix.span }
  }

  t.test('has the commits until then, that time included', async t => {
    t.strictSame(
      [9, 10, 19, 20, 30].map(asOf => read([10, 20, 30], asOf).count),
      [0, 1, 1, 2, 3],
    )
  })

  t.test(
    'hides a commit behind an earlier one with a later time, so that none lacks its reasons',
    async t => {
      const steppedBack = [10, 40, 20, 50]
      t.equal(read(steppedBack, 20).count, 1, 'the commit of 20 was decided on that of 40')
      t.equal(read(steppedBack, 39).count, 1)
      t.equal(read(steppedBack, 40).count, 3)
    },
  )

  t.test(
    'is the longest prefix, only grows with the time, and equals that of every time in its span',
    async t => {
      const time = fc.integer({ min: 0, max: 40 })
      fc.assert(
        fc.property(fc.array(time, { maxLength: 12 }), time, time, (times, asOf, other) => {
          const { count, span } = read(times, asOf)
          if (count !== lengthAsOf(times, asOf) || !isWithin(span, asOf)) return false
          const after = lengthAsOf(times, other)
          return isWithin(span, other) === (after === count) && (other < asOf || after >= count)
        }),
        { numRuns: 1_000 },
      )
      t.pass('1,000 generated logs')
    },
  )
})
