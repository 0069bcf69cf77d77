/**
 * Compares Redis in memory with a real server: the adapters of the fetcher send the same random calls to both, which
 * must respond alike. The server's own clock is the clock of both, read before and after each call.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ThrottledHostsResponse } from '@tidemark/contracts/rpc/operator'
import { throwawayRedis } from '@tidemark/testing/servers'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { createPublishedOrders } from '../../../services/fetcher/adapters/published.ts'
import { createRunShares } from '../../../services/fetcher/adapters/run-shares.ts'
import { createSharedClock } from '../../../services/fetcher/adapters/shared-clock.ts'
import { openThrottledHosts } from '../../../services/fetcher/adapters/throttled-hosts.ts'
import { redisOver } from './client.scene.ts'
import { Keys } from './keys.ts'
import { commands, scripts } from './scripts.ts'

const cases = sized(60, 1_000)
/** Maximum milliseconds by which the times of both may differ. */
const toleranceMs = 4
/** A longer call proves nothing, because the clock continues during it. */
const maxCallMs = 2

type Host = { host: string; protocol: string; runId: number; delayMs: number }
type Operation =
  | { type: 'take' | 'moved'; asking: Host }
  | { type: 'backOff'; asking: Host; ofAll: boolean; ms: number }
  | { type: 'remember'; message: string; indexes: number[] }
  | { type: 'published'; message: string }
  | { type: 'part'; run: number; me: string; concurrency: number; inFlight: number }
  | { type: 'leave'; run: number; me: string }
  | { type: 'throttled'; host: string; ms: number }
  | { type: 'list' }
  | { type: 'set' | 'del'; key: string }
  | { type: 'wait'; ms: number }

const one = <T extends string>(type: T) => fc.constant(type)
const me = fc.constantFrom('x', 'y', 'z')
const run = fc.integer({ min: 1, max: 2 })
const host = fc.constantFrom('a.test', 'b.test')
const message = fc.constantFrom('1:a', '2:b')
const times = fc.oneof(
  fc.record({ delayMs: fc.constantFrom(30, 90, 250) }),
  fc.record({ delayMs: fc.constantFrom(0, 30), gapMs: fc.constantFrom(60, 250) }),
)
const asking = fc
  .record({
    host,
    protocol: fc.constantFrom('http:', 'https:'),
    runId: fc.integer({ min: 1, max: 3 }),
    times,
  })
  .map(({ times, ...request }) => ({ ...request, ...times }))
const ms = fc.constantFrom(20, 80, 200)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: one('take'), asking }) },
  { weight: 2, arbitrary: fc.record({ type: one('moved'), asking }) },
  { weight: 2, arbitrary: fc.record({ type: one('backOff'), asking, ofAll: fc.boolean(), ms }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: one('remember'), message, indexes: fc.array(fc.nat(7), { minLength: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: one('published'), message }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ type: one('part'), run, me },
      ...{ concurrency: fc.integer({ min: 1, max: 6 }), inFlight: fc.nat(6) },
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: one('leave'), run, me }) },
  // A pause that ended long ago is dropped at once.
  {
    weight: 2,
    arbitrary: fc.record({ type: one('throttled'), host, ms: fc.oneof(ms, fc.constant(-700_000)) }),
  },
  { weight: 1, arbitrary: fc.record({ type: one('list') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('set' as const, 'del' as const), key: host }) },
  { weight: 6, arbitrary: fc.record({ type: one('wait'), ms: fc.constantFrom(5, 30, 60, 120) }) },
)

type Raw = Redis & {
  takePart(key: string, me: string, concurrency: number, inFlight: number): Promise<number>
  recordThrottledHost(ends: string, counts: string, origin: string, ms: number): Promise<null>
}

/** The adapters of the fetcher over one of both. */
function sideOf(redis: Redis) {
  const raw = redis as Raw
  createRunShares(redis, 'unused')[Symbol.dispose]()
  const [clock, published, throttled] = [
    createSharedClock(redis),
    createPublishedOrders(redis),
    openThrottledHosts(redis),
  ]
  return async (operation: Operation): Promise<unknown> => {
    switch (operation.type) {
      case 'take':
        return clock.take(operation.asking)
      case 'moved':
        return clock.moved(operation.asking)
      case 'backOff':
        return clock.backOff(
          { ...operation.asking, ...(operation.ofAll && { runId: null }) } as never,
          operation.ms,
        )
      case 'remember':
        return published.record(operation.indexes.map(index => ({ message: operation.message, index })))
      case 'published':
        return [...(await published.of(operation.message))].sort()
      case 'part':
        return raw.takePart(
          `run-share:${operation.run}`,
          operation.me,
          operation.concurrency,
          operation.inFlight,
        )
      case 'leave':
        return redis.hdel(`run-share:${operation.run}`, operation.me)
      case 'throttled':
        return raw.recordThrottledHost(
          'pressed:{hosts}',
          'pressed:{hosts}:pauses',
          operation.host,
          operation.ms,
        )
      case 'list':
        return throttled.read(10)
      case 'set':
        return redis.set(operation.key, 'file', 'PX', 60)
      case 'del':
        return redis.del(operation.key)
      case 'wait':
        return undefined
    }
  }
}

/** A model with a clock that each call sets. */
function modelOf(reached: Set<string>) {
  let now = 0
  const keys = new Keys(() => now)
  const send = sideOf(
    redisOver(async (name, act) => {
      reached.add(name)
      return act(keys)
    }),
  )
  const respond = (operation: Operation, at: number): Promise<unknown> => {
    now = at
    return send(operation)
  }
  return { keys, respond }
}

/**
 * Returns whether a slot is free by one of the two clocks and almost free by the other. The states of both sides then
 * differ.
 */
function isOnEdge(real: unknown, model: unknown, { type }: Operation): boolean {
  const waits = [Number(real), Number(model)]
  return type === 'take' && waits.includes(0) && waits.some(ms => ms > 0 && ms <= toleranceMs)
}

/** Returns whether two responses are equal, except for their times. */
function areAlike(real: unknown, model: unknown, { type }: Operation): boolean {
  if (type === 'list') return areAlikeLists(real as ThrottledHostsResponse, model as ThrottledHostsResponse)
  if (type !== 'take') return JSON.stringify(real) === JSON.stringify(model)
  const [wanted, given] = [Number(real), Number(model)]
  return Math.abs(wanted - given) <= toleranceMs && (wanted === 0) === (given === 0)
}

/** Pauses that end at about the same time have no certain order. */
function areAlikeLists(real: ThrottledHostsResponse, model: ThrottledHostsResponse): boolean {
  const known = new Map(model.hosts.map(one => [one.origin, one]))
  const isLike = ({ origin, pauses, pausedUntil }: (typeof real.hosts)[number]) => {
    const same = known.get(origin)
    const apartMs = Date.parse(pausedUntil) - Date.parse(same?.pausedUntil ?? '')
    return same?.pauses === pauses && Math.abs(apartMs) <= toleranceMs
  }
  return real.total === model.total && real.hosts.length === known.size && real.hosts.every(isLike)
}

const timeOf = ([seconds, micros]: (number | string)[]): number =>
  Number(seconds) * 1_000 + Number(micros) / 1_000

test('Redis in memory', { timeout: 600_000 }, async t => {
  const server = await throwawayRedis()
  const real = new Redis(server.url)
  t.teardown(async () => {
    real.disconnect()
    await server.stop()
  })
  const reached = new Set<string>()
  const onReal = sideOf(real)
  const models = [modelOf(reached), modelOf(reached)] as const
  const restart = async () => {
    await real.flushall()
    for (const model of models) model.keys.clear()
  }
  /**
   * Carries out a call on both. One model carries it out at the time just before the call, and another at the time just
   * after it. Returns null if the two models differ, because the clock then decides the response.
   */
  const both = async (operation: Operation): Promise<[real: unknown, model: unknown] | null> => {
    const [before, response, after] = await Promise.all([real.time(), onReal(operation), real.time()])
    const [given, later] = [
      await models[0].respond(operation, timeOf(before)),
      await models[1].respond(operation, timeOf(after)),
    ]
    const isCertain = timeOf(after) - timeOf(before) <= maxCallMs && areAlike(given, later, operation)
    return isCertain ? [response, given] : null
  }
  // The first call of a script is sent twice.
  for (const some of fc.sample(operation, 200)) await onReal(some)

  await t.test('responds to random calls like a server', async t => {
    let compared = 0
    const sequence = fc.array(operation, { minLength: 5, maxLength: 40, size: 'max' })
    const property = fc.asyncProperty(sequence, async operations => {
      await restart()
      for (const [n, operation] of operations.entries()) {
        if (operation.type === 'wait') await sleep(operation.ms)
        const responses = await both(operation)
        if (responses === null || isOnEdge(...responses, operation)) return
        if (!areAlike(...responses, operation))
          throw new Error(
            `${n}: ${JSON.stringify(operation)}: ${JSON.stringify(responses)}, the server's first`,
          )
        compared++
      }
    })
    // A slow machine compares less of each sequence.
    for (let round = 0; round < 10 && compared <= 5 * cases; round++)
      await fc.assert(property, { numRuns: cases })
    t.ok(compared > 5 * cases, `${compared} calls were compared`)
    t.strictSame([...reached].sort(), [...Object.keys(commands), ...Object.keys(scripts)].sort())
  })

  await t.test('forgets the share of a process that is silent, as a server', async t => {
    await restart()
    const part = (me: string): Operation => ({ type: 'part', run: 1, me, concurrency: 4, inFlight: 0 })
    for (const me of ['x', 'y', 'x', 'y']) {
      const responses = await both(part(me))
      if (responses) t.equal(responses[0], responses[1], me)
    }
    await sleep(2_500)
    await both(part('x'))
    await sleep(2_600)
    let alone = await both(part('x'))
    for (let look = 0; alone === null && look < 100; look++) alone = await both(part('x'))
    t.strictSame(alone, [4, 4])
  })

  await t.test('drops the hosts whose pauses end first, as a server', async t => {
    await restart()
    // A slow machine calls all of them within less than the distance of two ends.
    const distanceMs = 60_000
    for (let n = 0; n < 1_003; n++)
      await both({ type: 'throttled', host: `${n}.test`, ms: distanceMs * (1 + ((7 * n) % 1_003)) })
    const [listed, given] = await Promise.all([
      openThrottledHosts(real).read(2_000),
      openThrottledHosts(redisOver(async (_, act) => act(models[0].keys))).read(2_000),
    ])
    t.equal(listed.total, 1_000)
    const [wanted, names] = [listed, given].map(({ hosts }) => hosts.map(({ origin }) => origin))
    t.strictSame(names, wanted)
  })
})
