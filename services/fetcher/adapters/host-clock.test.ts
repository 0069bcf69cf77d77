/** The host clock over both of its clocks, with a shared clock that responds late. */
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { createHostClock } from './host-clock.ts'
import { createLocalClock, type HostRequest } from './local-clock.ts'

const request = (runId: number) => ({ host: 'site.test', protocol: 'https:', runId, delayMs: 5_000 })

test('Of two permissions that arrive late and together, one is used', async t => {
  const lateMs = 40
  const moved: number[] = []
  const clock = createHostClock(createLocalClock(), {
    // Redis granted them one after the other, and its responses were held up.
    take: () => sleep(lateMs, 0),
    moved: async ({ runId }) => void moved.push(runId),
    backOff: async () => {},
  })
  const waits = [clock.take(request(1)), clock.take(request(2))]
  t.equal(await waits[0], 0)
  clock.sent(request(1))
  const waitMs = await waits[1]
  t.ok(Number(waitMs) > 4_000, `the other run waits ${waitMs} ms for its delay`)
  t.strictSame([...new Set(moved)], [1, 2])
})

test('Without the shared clock, requests of two runs keep the delay', async t => {
  const away = async () => {
    throw new Error('away')
  }
  const clock = createHostClock(createLocalClock(), { take: away, moved: away, backOff: away })
  const waits = [clock.take(request(1)), clock.take(request(2))]
  t.equal(await waits[0], 0)
  clock.sent(request(1))
  t.ok(Number(await waits[1]) > 4_000)
})

// Seed 30009186 of the simulator: a request that Redis kept waiting left beside one whose connection had just opened.
test('A late permission waits for a request that is still opening its connection', async t => {
  const [first, second] = [
    { ...request(1), delayMs: 30 },
    { ...request(2), delayMs: 30 },
  ]
  const clock = createHostClock(createLocalClock(), {
    take: ({ runId }) => sleep(runId === 1 ? 0 : 100, 0),
    moved: async () => {},
    backOff: async () => {},
  })
  const waiting = clock.take(second)
  t.equal(await clock.take(first), 0)
  await sleep(150)
  clock.sent(first)
  t.ok((await waiting) > 30, 'its delay begins when that request leaves')
})

// Crawl-delay is in the robots.txt, whose own request cannot keep it.
test('After a robots.txt, each request waits for its own delay, also that of another run', async t => {
  for (const delayMs of [0, 250]) {
    const moved: HostRequest[] = []
    const clock = createHostClock(createLocalClock(), {
      take: async () => 0,
      moved: async request => void moved.push(request),
      backOff: async () => {},
    })
    const robots = { ...request(1), delayMs, gapMs: 30_000 }
    t.equal(await clock.take(robots), 0)
    clock.sent(robots)
    t.ok((await clock.take({ ...request(1), delayMs: 2_000 })) > 1_900, 'the page of the run')
    t.ok((await clock.take({ ...request(2), delayMs: 2_000 })) > 1_900, 'a request of another run')
    t.equal(await clock.take({ ...request(3), delayMs: 0 }), 0, 'a request without a delay')
    if (delayMs === 0) t.match(moved, [{ gapMs: 30_000 }], 'other fetchers know of the request')
  }
})
