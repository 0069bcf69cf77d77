import { throwawayRedis } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { openRedis } from './connect.ts'
import { ownBuckets, type Rate, ratesIn, take } from './rates.ts'

const rate: Rate = { perSecond: 2, burst: 20 }

test('A token bucket', async t => {
  t.test('is full at first, and loses one token per request', async t => {
    let fullAt = 0
    for (let left = 19; left >= 0; left--) {
      const taken = take(fullAt, 1_000_000, rate, 1)
      t.match(taken.result, { allowed: true, remaining: left, fullInMs: (20 - left) * 500, waitMs: 0 })
      fullAt = taken.fullAt
    }
    const refused = take(fullAt, 1_000_000, rate, 1)
    t.strictSame(refused, { fullAt, result: { allowed: false, remaining: 0, fullInMs: 10_000, waitMs: 500 } })
    t.match(take(fullAt, 1_000_500, rate, 1).result, { allowed: true, remaining: 0 }, 'a token came back')
  })

  t.test('allows cheap requests in proportion to their price', async t => {
    let fullAt = 0
    let taken = 0
    for (;;) {
      const next = take(fullAt, 5_000, rate, 0.2)
      if (!next.result.allowed) break
      fullAt = next.fullAt
      taken++
    }
    t.equal(taken, 100)
  })

  t.test('never gives more than its content and the refill', async () => {
    const steps = fc.array(fc.record({ afterMs: fc.nat(2_000), tokens: fc.constantFrom(0.2, 1, 5) }), {
      maxLength: 200,
    })
    const rates = fc.record({ perSecond: fc.constantFrom(2, 10, 30), burst: fc.integer({ min: 5, max: 50 }) })
    fc.assert(
      fc.property(steps, rates, (requested, rate) => {
        let now = 1_000
        let fullAt = 0
        let given = 0
        for (const { afterMs, tokens } of requested) {
          now += afterMs
          const taken = take(fullAt, now, rate, tokens)
          fullAt = taken.fullAt
          if (taken.result.allowed) given += tokens
          const max = rate.burst + ((now - 1_000) * rate.perSecond) / 1000
          if (given > max + 0.001 || taken.result.remaining > rate.burst) return false
          const later = take(fullAt, now + taken.result.waitMs, rate, tokens)
          if (!taken.result.allowed && tokens <= rate.burst && !later.result.allowed) return false
        }
        return true
      }),
    )
  })
})

test('Buckets', async t => {
  const server = await throwawayRedis()
  t.teardown(() => server.stop())
  const report = { away: () => {}, back: () => {} }

  await t.test('are shared by all clients of a Redis, with any concurrency', async t => {
    using one = await openRedis(server.url, report)
    using two = await openRedis(server.url, report)
    const takes = [ratesIn(one), ratesIn(two)]
    const slow = { perSecond: 0.01, burst: 20 }
    const tokens = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (takes[n % 2] as (typeof takes)[number])('p1', slow, 1)),
    )
    t.equal(tokens.filter(({ allowed }) => allowed).length, 20)
    t.strictSame(
      tokens.flatMap(({ allowed, remaining }) => (allowed ? [remaining] : [])).toSorted((a, b) => b - a),
      Array.from({ length: 20 }, (_, n) => 19 - n),
    )
    t.match(await (takes[0] as (typeof takes)[number])('p2', slow, 1), { allowed: true, remaining: 19 })
    const life = await one.pttl('rate:p2')
    t.ok(life > 0 && life <= 102_000, 'and expire when they are full again')
  })

  await t.test('are local to the process while Redis is unavailable: open, and limited', async t => {
    const nobody = new Redis('redis://127.0.0.1:1', {
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: null,
    })
    nobody.on('error', () => {})
    t.teardown(() => nobody.disconnect())
    const take = ratesIn(nobody, () => 5_000)
    const tokens = []
    for (let n = 0; n < 25; n++) tokens.push(await take('p1', rate, 1))
    t.equal(tokens.filter(({ allowed }) => allowed).length, 20)
    t.match(tokens.at(-1), { allowed: false, waitMs: 500 })
  })

  await t.test('evict the least recently used bucket', async t => {
    const take = ownBuckets(() => 5_000)
    for (let n = 0; n < 20; n++) await take('first', rate, 1)
    for (let n = 0; n < 10_000; n++) await take(`p${n}`, rate, 1)
    t.match(await take('first', rate, 1), { allowed: true, remaining: 19 })
    t.match(await take('p9999', rate, 1), { allowed: true, remaining: 18 })
  })
})

test('Redis is unavailable', async t => {
  const server = await throwawayRedis()
  t.teardown(() => server.stop())
  const reports: string[] = []
  using redis = await openRedis(server.url, {
    away: error => reports.push(`away: ${error instanceof Error ? error.message : error}`),
    back: () => reports.push('back'),
  })
  t.equal(redis.warn(), null)

  await t.test('when it hangs, until it responds again', async t => {
    using other = await openRedis(server.url, { away: () => {}, back: () => {} })
    const pause = () =>
      other.client('PAUSE', 6_000).then(
        () => true,
        () => false, // it has not connected yet
      )
    await until(pause, 20_000)
    await until(() => redis.warn() !== null, 20_000)
    t.match(redis.warn(), /^redis_away: /)
    t.strictSame(reports.splice(0), ['away: Command timed out'], 'which is reported once')
    await until(() => reports.length > 0, 20_000)
    t.strictSame([redis.warn(), ...reports.splice(0)], [null, 'back'])
  })

  await t.test('when it is down for longer than a moment', async t => {
    await server.kill()
    await until(() => reports.length > 0, 20_000)
    t.equal(redis.warn(), null, 'a restart of the server needs no attention')
    await until(() => redis.warn() !== null, 20_000)
    await server.restart()
    await until(() => redis.warn() === null, 20_000)
    t.strictSame([reports.length, reports.at(-1)], [2, 'back'])
  })
})
