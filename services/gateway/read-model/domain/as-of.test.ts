import { test } from 'tap'
import { ApiProblem } from '../../http/domain/problem.ts'
import { readAsOf } from './as-of.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)

test('The time of as_of', async t => {
  t.test('is in UTC with milliseconds, from 1970 on', async t => {
    t.equal(readAsOf('2026-01-02T05:04:04+02:00', now), '2026-01-02T03:04:04.000Z')
    t.equal(readAsOf('2026-01-02T03:04:04.123999Z', now), '2026-01-02T03:04:04.123Z')
    t.equal(readAsOf('0001-01-01T00:00:00Z', now), '1970-01-01T00:00:00.000Z')
  })

  t.test('may be five seconds in the future, because clocks differ', async t => {
    t.equal(readAsOf('2026-01-02T03:04:10Z', now), '2026-01-02T03:04:10.000Z')
    const refused = () => readAsOf('2026-01-02T03:04:10.001Z', now)
    t.throws(refused, ApiProblem)
    t.throws(refused, {
      message:
        'as_of must not be in the future: 2026-01-02T03:04:10.001Z is after 2026-01-02T03:04:05.000Z, the time of the service. Leave it out to read the crawl as it is now.',
    })
  })

  t.test('is not a leap second, which no clock here has', async t => {
    const message = 'as_of is outside the range of supported times.'
    t.throws(() => readAsOf('2016-12-31T23:59:60Z', now), { message })
  })
})
