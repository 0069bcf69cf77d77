import { setTimeout as sleep } from 'node:timers/promises'
import { checkOf } from '@tidemark/contracts/api-key'
import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import fc from 'fast-check'
import { test } from 'tap'
import { inLanes } from './host-lanes.ts'
import { inOrder } from './in-order.ts'
import { isValidAt, keyOf } from './key.ts'
import { Reached } from './reached.ts'
import { usageView } from './usage.ts'

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

test('Work that is told in order waits for whoever takes it slowly', async t => {
  let begun = 0
  const limits = { most: 8, mostWeight: Number.POSITIVE_INFINITY, weigh: () => 1 }
  const items = async function* () {
    for (let n = 0; n < 100; n++) yield n
  }
  const results = inOrder(items(), limits, async n => {
    begun++
    await sleep(n % 3)
    return n
  })
  t.equal((await results.next()).value, 0)
  await sleep(50)
  t.equal(begun, 8)
  await results.return(undefined)
  await sleep(50)
  t.equal(begun, 8, 'and does nothing for one that left')
})

test('Work that is told in order looks ahead by weight, and never waits for one that is too heavy', async t => {
  let begun: number[] = []
  const items = async function* () {
    yield* [4, 3, 4, 25, 1, 1]
  }
  const results = inOrder(items(), { most: 8, mostWeight: 10, weigh: n => n }, async n => {
    begun.push(n)
    return n
  })
  const steps: [taken: number | undefined, begun: number[]][] = []
  for await (const taken of results) {
    steps.push([taken, begun])
    begun = []
  }
  t.strictSame(steps, [
    [4, [4, 3]],
    [3, [4]],
    [4, []],
    [25, [25]],
    [1, [1, 1]],
    [1, []],
  ])
})

test('Lanes of hosts', async t => {
  const hosts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 60 })
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 70 }),
    perHost: fc.integer({ min: 1, max: 5 }),
  })
  const pauses = fc.infiniteStream(fc.integer({ min: 0, max: 3 }))
  const ticks = async (count: number) => {
    for (let n = 0; n < count; n++) await Promise.resolve()
  }

  await t.test('do everything once, and never more at once than they may', async t => {
    let widest = 0
    await fc.assert(
      fc.asyncProperty(hosts, limits, pauses, async (names, { concurrency, perHost }, pause) => {
        const items = names.map((host, n) => ({ host, n }))
        const busy = new Map<string, number>()
        const did: number[] = []
        let atOnce = 0
        const signal = new AbortController().signal
        await inLanes(items, { concurrency, perHost, signal }, async ({ host, n }) => {
          atOnce++
          busy.set(host, (busy.get(host) ?? 0) + 1)
          widest = Math.max(widest, atOnce)
          if (atOnce > concurrency) throw new Error('too many at once')
          if ((busy.get(host) ?? 0) > perHost) throw new Error('too many at a host')
          await ticks(pause.next().value ?? 0)
          atOnce--
          busy.set(host, (busy.get(host) ?? 1) - 1)
          did.push(n)
        })
        return did.length === items.length && new Set(did).size === items.length
      }),
      { numRuns: 300 },
    )
    t.ok(widest > 4, 'and as many as they may')
  })

  await t.test('begin nothing more once they are told to stop, and end what they began', async t => {
    await fc.assert(
      fc.asyncProperty(
        hosts,
        limits,
        pauses,
        fc.nat(20),
        async (names, { concurrency, perHost }, pause, after) => {
          const stop = new AbortController()
          let [begun, ended] = [0, 0]
          if (after === 0) stop.abort()
          await inLanes(
            names.map(host => ({ host })),
            { concurrency, perHost, signal: stop.signal },
            async () => {
              if (stop.signal.aborted) throw new Error('was begun all the same')
              if (++begun >= after) stop.abort()
              await ticks(pause.next().value ?? 0)
              ended++
            },
          )
          return begun === ended && begun <= Math.max(after, 0)
        },
      ),
      { numRuns: 300 },
    )
    t.pass()
  })
})
