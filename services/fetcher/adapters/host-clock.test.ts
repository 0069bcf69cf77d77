/** The host clock over both of its clocks, with a shared clock that responds late. */
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { createHostClock } from './host-clock.ts'
import { createLocalClock } from './local-clock.ts'

const asking = (runId: number) => ({ host: 'site.test', protocol: 'https:', runId, delayMs: 5_000 })

test('Of two permissions that arrive late and together, one is used', async t => {
  const lateMs = 40
  const moved: number[] = []
  const clock = createHostClock(createLocalClock(), {
    // Redis granted them one after the other, and its responses were held up.
    take: () => sleep(lateMs, 0),
    moved: async ({ runId }) => void moved.push(runId),
    backOff: async () => {},
  })
  const waits = await Promise.all([clock.take(asking(1)), clock.take(asking(2))])
  t.strictSame(moved, [1, 2])
  t.equal(waits[0], 0)
  t.ok(Number(waits[1]) > 4_000, `the other run waits ${waits[1]} ms for its delay`)
})

test('Without the shared clock, requests of two runs keep the delay', async t => {
  const away = async () => {
    throw new Error('away')
  }
  const clock = createHostClock(createLocalClock(), { take: away, moved: away, backOff: away })
  const waits = await Promise.all([clock.take(asking(1)), clock.take(asking(2))])
  t.equal(waits[0], 0)
  t.ok(Number(waits[1]) > 4_000)
})
