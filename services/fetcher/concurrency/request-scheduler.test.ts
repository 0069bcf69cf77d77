/** Scheduling of requests: shares of the process, limits of hosts, and memory for bodies. */
import { getEventListeners } from 'node:events'
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import type { HttpClient } from '@tidemark/http/client'
import fc from 'fast-check'
import { test } from 'tap'
import { directClient } from '../adapters/direct-client.ts'
import { ownNetworks } from '../adapters/own-networks.ts'
import { reportingClient } from '../adapters/reporting-client.ts'
import type { Share } from '../adapters/run-shares.ts'
import { openBodyMemory } from './body-memory.ts'
import { ByteBudget } from './byte-budget.ts'
import { openDeadline } from './deadline.ts'
import { FairPermits } from './fair-permits.ts'
import { HostSlots } from './host-slots.ts'
import { createHostWindows } from './host-windows.ts'
import { createRequestScheduler, type SendClaim, type SendPermit } from './request-scheduler.ts'
import { createRunPermits } from './run-permits.ts'

const clock = {
  take: async () => 0,
  sent() {},
  responseBegan() {},
  backOff: async () => {},
}

/** Returns the share of a run without other processes. */
function allOfIt(_runId: number, concurrency: number, onPart: (permits: number) => void): Share {
  onPart(concurrency)
  return { resize: onPart, [Symbol.dispose]() {} }
}

type Request = Partial<SendClaim> & { runId: number }
type Out = Request & { permit: SendPermit }

/** Slots of a process, and its requests in progress. */
function process({ permits = 64, kept = 16, ceiling = 16, own = [] as string[], concurrency = 8 } = {}) {
  const isOwn = ownNetworks(own)
  const acquireSendPermit = createRequestScheduler({
    clock,
    runs: createRunPermits({ join: allOfIt }),
    inFlight: new FairPermits({ permits, kept }),
    hostSlots: new HostSlots({
      windows: createHostWindows(concurrency),
      ceilingOf: host => (isOwn(host) ? Infinity : ceiling),
      maxWindow: concurrency,
    }),
    concurrency,
  })
  const out = new Set<Out>()
  const hardly = new AbortController().signal
  return {
    out,
    of: (runId: number) => [...out].filter(one => one.runId === runId).length,
    /** Requests a number of slots, and starts the requests that get one. */
    async want(count: number, request: Request) {
      for (let n = 0; n < count; n++) {
        const claim = {
          host: 'site.test',
          protocol: 'https:',
          delayMs: 0,
          concurrency: 10_000,
          tenant: request.runId,
          isAwaited: request.runId < 0,
          isInOurName: true,
          signal: hardly,
          ...request,
        }
        acquireSendPermit(claim).then(
          permit => out.add({ ...request, permit }),
          () => {},
        )
      }
      await breathe()
    },
    /** Ends a number of requests, the oldest first. */
    async end(count: number, isMeant: (one: Out) => boolean = () => true) {
      for (const one of [...out].filter(isMeant).slice(0, count)) {
        out.delete(one)
        one.permit.ended('good')
        one.permit.landed()
        await breathe()
      }
    },
  }
}

/** Returns a separate host for each request. */
const wide = (count: number, host: string) => Array.from({ length: count }, (_, n) => `${n}.${host}`)

test('While others wait, a project gets at most its share, and scans have separate permits', async t => {
  const { want, end, of } = process()
  for (const host of wide(200, 'tarpit.test')) await want(1, { runId: 1, host })
  t.equal(of(1), 64, 'alone it may have all slots')
  await want(1, { runId: -1, host: 'scanned.test' })
  t.equal(of(-1), 1, 'a scan does not wait')
  for (const host of wide(100, 'other.test')) await want(1, { runId: 2, host })
  t.equal(of(2), 0)
  await end(32, one => one.runId === 1)
  t.same([of(1), of(2)], [32, 32], 'free slots go to the other project first')
  await end(20)
  t.same([of(1), of(2)], [32, 32])
  for (const host of wide(40, 'third.test')) await want(1, { runId: 3, host, tenant: 2 })
  await end(10, one => one.runId === 1)
  t.equal(of(2) + of(3), 32, 'two runs of one project share')
  for (const host of wide(40, 'scans.test')) await want(1, { runId: -2, host })
  t.equal(of(-2), 15, 'and crawls do not use permits of scans')
})

test('A tenant holds at most its maximum, of awaited requests and others together', async t => {
  const permits = new FairPermits({ permits: 4, kept: 1, maxPerTenant: 3 })
  const { signal } = new AbortController()
  const given: string[] = []
  const want = async (tenant: number, isAwaited: boolean) => {
    void permits.acquire({ tenant, isAwaited }, signal).then(() => given.push(`${tenant} ${isAwaited}`))
    await breathe()
  }
  for (let n = 0; n < 25; n++) await want(1, true)
  t.strictSame(given, Array(3).fill('1 true'))
  await want(2, true)
  await want(1, false)
  t.strictSame(given.slice(3), ['2 true'], 'others find a free permit')
  permits.release({ tenant: 2, isAwaited: true })
  await breathe()
  t.equal(given.length, 4)
  permits.release({ tenant: 1, isAwaited: true })
  await breathe()
  t.strictSame(given.slice(4), ['1 false'], 'its next request waits for one of its own')
})

test('All work together stays below the limit of a host', async t => {
  const { want, end, of, out } = process()
  for (let runId = 1; runId <= 5; runId++) await want(40, { runId })
  await want(40, { runId: -1 })
  await want(20, { runId: 6, concurrency: null })
  t.equal(out.size, 32, 'the first run had the host alone')
  t.equal(of(1), 32)
  let max = 0
  for (let ended = 0; ended < 100; ended++) {
    await end(1)
    if (ended >= 16) max = Math.max(max, out.size)
  }
  t.equal(max, 16, 'and no run has it alone once others want it')
  for (const runId of [2, 3, 4, 5, -1, 6]) t.ok(of(runId) > 0, `${runId} has its part`)
  for (let left = 300; left > 0 && out.size > 0; left--) await end(1)
  t.equal(out.size, 0, 'all requests get a slot')
})

test('A request that gave up waiting does not limit the share of others', async t => {
  const { want, end, of } = process()
  const stop = new AbortController()
  await want(100, { runId: 1 })
  await want(1, { runId: 2, signal: stop.signal })
  await end(10)
  t.same([of(1), of(2)], [22, 0])
  stop.abort()
  for (let times = 0; times < 20; times++) await breathe()
  t.equal(of(1), 32)
})

test('No request keeps waiting at an idle host', async t => {
  const hostSlots = new HostSlots({ windows: createHostWindows(8), ceilingOf: () => 16, maxWindow: 8 })
  const claim = (runId: number) => ({ runId, host: 'site.test', concurrency: null, isInOurName: true })
  const inside = [hostSlots.enter(claim(1)), hostSlots.enter(claim(2))]
  t.equal(hostSlots.enter(claim(3)), null, 'its window is full')
  const { signal } = new AbortController()
  let woken = 0
  for (let n = 0; n < 40; n++) void hostSlots.slotFreed('site.test', signal).then(() => woken++)
  for (const slot of inside) slot?.leave('good')
  await breathe()
  t.equal(woken, 32, 'each ended request wakes some')
  hostSlots.withdrawClaim(claim(3))
  await breathe()
  t.equal(woken, 40, 'and others if those do not continue')
})

test("A host of one's own networks has no ceiling", async t => {
  const { want, of } = process({ own: ['127.1.0.0/16', 'fd00::/8', '10.0.0.7'] })
  await want(100, { runId: 1, host: '127.1.2.3:8080' })
  t.equal(of(1), 64)
  const isOwn = ownNetworks(['127.0.0.0/8', 'fd00::/8', '10.0.0.7'])
  for (const host of [
    '127.9.9.9',
    '127.0.0.1:80',
    'localhost:3000',
    '[fd12::1]:8080',
    '[fd12::1]',
    '10.0.0.7',
  ])
    t.ok(isOwn(host), host)
  for (const host of ['10.0.0.8', 'site.test', '127.0.0.1.test', '[2001:db8::1]', ''])
    t.notOk(isOwn(host), host)
})

test('Redirects to other hosts use at most as many connections there as a run may have requests', async t => {
  const went: string[] = []
  const client = (name: string) =>
    ({
      dispatch: ({ origin }: { origin: string }) => void went.push(`${name} ${origin}`),
    }) as unknown as HttpClient
  const direct = directClient(client('narrow'), client('wide'), ownNetworks(['127.1.0.0/16']))
  for (const origin of ['http://site.test', 'https://site.test:8443', 'http://127.1.0.1:80'])
    direct.dispatch({ origin, path: '/', method: 'GET' }, {})
  t.same(went, ['narrow http://site.test', 'narrow https://site.test:8443', 'wide http://127.1.0.1:80'])
})

test('Overload that only one customer sees narrows only its own window', async t => {
  const { want, of, out } = process()
  const fail = async (runId: number) => {
    for (const one of [...out].filter(one => one.runId === runId)) {
      out.delete(one)
      one.permit.ended('bad')
      one.permit.landed()
      await breathe()
    }
  }
  await want(20, { runId: 1, concurrency: null, isInOurName: false })
  for (let times = 0; times < 4; times++) await fail(1)
  t.equal(of(1), 1)
  await want(20, { runId: 2, concurrency: null })
  t.equal(of(2), 2, 'another one begins as usual')
})

test('A budget of bytes is exceeded by a single body only, and all bodies get memory', async t => {
  const sizes = fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 40 })
  const property = fc.asyncProperty(sizes, fc.array(fc.nat(60)), async (sizes, order) => {
    const budget = new ByteBudget(100)
    const held = new Map<number, number>()
    const claims = sizes.map((bytes, n) => {
      const claim = budget.claim(bytes)
      const take = () => held.set(n, bytes)
      if (claim.granted) void claim.granted.then(take)
      else take()
      return claim
    })
    for (const n of [...order.map(n => n % Math.max(1, sizes.length)), ...sizes.keys()]) {
      await breathe()
      const used = [...held.values()].reduce((sum, bytes) => sum + bytes, 0)
      if (used > 100 && [...held.values()].filter(bytes => bytes > 0).length > 1) return false
      claims[n]?.[Symbol.dispose]()
      held.delete(n)
    }
    return budget.claim(100).granted === null
  })
  await t.resolves(fc.assert(property, { numRuns: 50 }))
})

test('Growing bodies get memory in steps, without deadlock', async t => {
  const budget = new ByteBudget(100)
  const isGranted = async (granted: Promise<void> | null) => {
    let is = granted === null
    void granted?.then(() => {
      is = true
    })
    await breathe()
    return is
  }
  const trickling = Array.from({ length: 5 }, () => openBodyMemory(budget))
  for (const memory of trickling) t.equal(memory.claim(10), null, 'a small body holds little')
  const large = openBodyMemory(budget)
  t.equal(large.claim(10), null)
  t.equal(large.grow(50), null)
  const waiting = large.grow(100)
  t.notOk(await isGranted(waiting))
  t.ok(large.isWaiting)
  const fresh = openBodyMemory(budget)
  const begun = fresh.claim(10)
  t.notOk(await isGranted(begun), 'a body without memory goes behind')
  const grown = trickling.map(memory => memory.grow(40))
  t.same(
    await Promise.all([...grown, waiting].map(isGranted)),
    [true, false, false, false, false, false],
    'if all wait, the oldest continues',
  )
  trickling[0]?.[Symbol.dispose]()
  t.same(await Promise.all([...grown.slice(1), waiting].map(isGranted)), [true, false, false, false, false])
  for (const memory of trickling) memory[Symbol.dispose]()
  t.same(await Promise.all([waiting, begun].map(isGranted)), [true, false])
  t.notOk(large.isWaiting)
  large[Symbol.dispose]()
  t.ok(await isGranted(begun))
  fresh[Symbol.dispose]()
  fresh.grow(100)
  t.equal(budget.claim(100).granted, null, 'and all of it comes back')
})

test('A body requests memory when its size is known, or as it grows', t => {
  const claims: string[] = []
  const recorded = (what: string) => (bytes: number) => {
    claims.push(`${what} ${bytes}`)
    return null
  }
  const bodyMemory = {
    isWaiting: false,
    claim: recorded('claim'),
    grow: recorded('grow'),
    [Symbol.dispose]() {},
  }
  type Handler = Parameters<HttpClient['dispatch']>[1]
  const controller = { aborted: false } as Parameters<NonNullable<Handler['onResponseData']>>[0]
  const MB = 1024 ** 2
  const sending = (
    fields: Record<string, string>,
    chunks: number[],
    { method = 'GET', status = 200 }: { method?: 'GET' | 'HEAD'; status?: number } = {},
  ) => {
    const client = {
      dispatch(_options: unknown, handler: Handler) {
        handler.onResponseStart?.(controller, status, fields)
        for (const length of chunks) handler.onResponseData?.(controller, Buffer.alloc(length))
      },
    } as unknown as HttpClient
    const listener = { onSent() {}, onResponse() {}, bodyMemory }
    reportingClient(client, listener, 20 * MB).dispatch({ origin: 'http://site.test', path: '/', method }, {})
    return claims.splice(0)
  }
  t.same(sending({}, [MB]), [])
  t.same(sending({}, [MB, 1, 1]), [`claim ${2 * MB}`])
  const steps = [`claim ${2 * MB}`, `grow ${4 * MB}`, `grow ${8 * MB}`, `grow ${16 * MB}`, `grow ${20 * MB}`]
  t.same(sending({}, Array<number>(20).fill(MB)), steps)
  t.same(sending({}, [7 * MB, MB]), [`claim ${8 * MB}`])
  const large = { 'content-length': String(3 * MB) }
  t.same(sending(large, [MB, MB, MB]), [`claim ${3 * MB}`])
  t.same(sending(large, [], { method: 'HEAD' }), [], 'a response to HEAD has no body')
  t.same(sending(large, [], { status: 304 }), [], 'nor has the response for an unchanged page')
  t.end()
})

test('A wait ends after its time or when it is aborted, and leaves nothing behind', async t => {
  const [stop, other] = [new AbortController(), new AbortController()]
  const both = [stop.signal, other.signal]
  const listeners = () => both.map(signal => getEventListeners(signal, 'abort').length)
  {
    using short = openDeadline(5, both)
    t.same(listeners(), [1, 1])
    await sleep(30)
    t.match(short, { isOver: true, signal: { aborted: true, reason: { name: 'TimeoutError' } } })
  }
  t.same(listeners(), [0, 0])
  {
    using called = openDeadline(5, both)
    other.abort('enough')
    await sleep(30)
    t.match(called, { isOver: false, signal: { aborted: true, reason: 'enough' } })
  }
  t.same(listeners(), [0, 0])
  using late = openDeadline(60_000, both)
  t.match(late, { isOver: false, signal: { aborted: true, reason: 'enough' } })
  const over = openDeadline(5, [])
  over[Symbol.dispose]()
  await sleep(30)
  t.equal(over.signal.aborted, false, 'its clock has stopped')
})
