import { checkOf } from '@tidemark/contracts/api-key'
import { test } from 'tap'
import { isValidAt, keyOf } from './key.ts'
import { Reached } from './reached.ts'
import { dayOf, secondsToMidnight, usageView } from './usage.ts'

test('A key is taken for one only if its check fits', async t => {
  const key = 'tmk_0000000000000000000000000000000000000000'
  const whole = key + checkOf(key)
  t.equal(checkOf('123456789'), '3jZRME', 'the check value of CRC-32, 0xcbf43926, to the base of 62')
  t.equal(keyOf(`Bearer ${whole}`), whole)
  t.equal(keyOf(`Bearer ${whole.replace('0', '1')}`), null)
  t.equal(keyOf(undefined), null)
  const soon = { revokedAt: null, expiresAt: '2026-01-02T00:00:00.000Z' }
  const at = Date.parse(soon.expiresAt)
  t.equal(isValidAt(soon, at - 1), true)
  t.equal(isValidAt(soon, at), false, 'not at the very moment')
})

test('Usage', async t => {
  const midnight = Date.UTC(2026, 0, 2)
  const counters = { pages: 3, cloudPages: 0, cloudCostUsd: 0 }
  const used = { today: counters, month: counters }

  t.test('is counted by UTC days, and waits for the next one to begin', async t => {
    t.strictSame([dayOf(midnight - 1), dayOf(midnight)], ['2026-01-01', '2026-01-02'])
    t.strictSame(
      [-1, 0, 1, 999, 1000].map(ms => secondsToMidnight(midnight + ms)),
      [1, 86400, 86400, 86400, 86399],
    )
  })

  t.test('is a share of the cap, to two decimals, where there is one', async t => {
    const free = usageView({ tier: 'free', unlimited: false }, used, midnight)
    t.strictSame([free.today.pages_pct, free.month.pages_pct], [0.6, 0.06])
    const unlimited = usageView({ tier: 'free', unlimited: true }, used, midnight)
    t.strictSame([unlimited.caps.pages_per_day, unlimited.today.pages_pct], [null, null])
  })
})

test('Whoever waits for a sequence is woken once, by it or a later one', async t => {
  const reached = new Reached()
  const woken: number[] = []
  for (const sequence of [3, 5, 7]) reached.when('RUNS', sequence, () => woken.push(sequence))
  const stop = reached.when('RUNS', 4, () => woken.push(4))
  stop()
  reached.note('OTHER', 100)
  reached.note('RUNS', 5)
  reached.note('RUNS', 4)
  reached.note('RUNS', 6)
  t.strictSame(woken, [3, 5])
  t.equal(reached.has('RUNS', 6), true)
  t.equal(reached.has('RUNS', 7), false)
})
