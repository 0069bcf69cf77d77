import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import { test } from 'tap'
import { usageView } from './usage.ts'

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
    t.strictSame([unlimited.caps.pages_per_day, unlimited.today.pages_pct], [null, 0])
  })
})
