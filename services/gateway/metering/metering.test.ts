import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import type { ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import { ServedCommit, servedLimits } from '@tidemark/contracts/served'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { database } from '@tidemark/usage-ledger/database'
import { startService } from '@tidemark/usage-ledger/service'
import fc from 'fast-check'
import { test } from 'tap'
import { Value } from 'typebox/value'
import { openMetering } from './adapters/metering.ts'
import {
  commitOf,
  isForReservations,
  limitsFor,
  modelUsed,
  type Payer,
  refusalOf,
  type Tried,
  unitsSpent,
} from './domain/metering.ts'

const payer = (projectId: number, more: Partial<Payer> = {}): Payer => ({
  projectId,
  tier: 'free',
  unlimited: false,
  ...more,
})

test("A payer's limits are those of its tier", t => {
  t.strictSame(limitsFor(payer(1), 'page'), { perDay: 500, perMonth: 5_000 })
  t.strictSame(limitsFor(payer(1), 'cloud_page'), { perDay: 25, perMonth: null })
  t.strictSame(limitsFor(payer(1, { unlimited: true }), 'page'), { perDay: null, perMonth: null })
  t.end()
})

test('A refusal names the cap and when it ends', t => {
  const refused = (reason: ReserveUnitsResponse['reason']) =>
    refusalOf(payer(1), { reason, retryAfterSeconds: 77 })
  t.match(refused('daily_pages'), {
    status: 429,
    code: 'too_many_requests',
    reason: 'daily_pages',
    retryAfterSeconds: 77,
    message: /daily page cap of this project \(500\)/,
  })
  t.match(refused('monthly_pages'), { reason: 'monthly_pages', message: /monthly page cap .* \(5000\)/ })
  t.match(refused('cloud_pages'), { reason: 'cloud_pages', message: /cloud pages .* \(25\)/ })
  t.match(refused('free_results'), {
    ...{ status: 429, code: 'too_many_requests', reason: 'free_results', retryAfterSeconds: 77 },
    message: /failures and challenges\): 10 times its daily cap\. Try again after the seconds in Retry-After/,
  })
  t.equal(refused('daily_pages').allHeaders['retry-after'], '77')
  const ofKey = (pagesPerDay: number | null) =>
    refusalOf(payer(1, { keyCaps: { pagesPerDay } }), { reason: 'daily_pages', retryAfterSeconds: 77 })
      .message
  t.match(ofKey(3), /^The daily page cap of this key \(3\) is used up\./)
  for (const wider of [null, 500, 600]) t.match(ofKey(wider), /^The daily page cap of this project \(500\)/)
  const held = refusalOf(payer(1), { reason: 'daily_pages', retryAfterSeconds: 77, held: 1 })
  t.match(held, { status: 429, reason: 'daily_pages', retryAfterSeconds: 5 })
  t.match(
    held.message,
    /\(500\) has no pages left beyond those that requests and crawls in progress have reserved/,
  )
  t.strictSame([held, refused('daily_pages')].map(isForReservations), [true, false])
  t.end()
})

test('Served units always fit into a message, and no unit is lost', t => {
  const commit = (tried: Tried[]) =>
    commitOf(payer(1), { requestId: 'r', operation: 'scan', tried }, '2026-01-02T03:04:05.678Z', undefined)
  const [one] = commit([{ what: `https://example.com/${'ü'.repeat(4_000)}`, ending: 'billed' }]).events
  const what = one?.data.units[0]?.what ?? ''
  t.ok(Buffer.byteLength(what) <= servedLimits.whatBytes)
  t.match(what, /^https:\/\/example\.com\/ü+$/)

  const whatOf = (what: string, ending: Tried['ending'] = 'billed') =>
    commitOf(payer(1), { requestId: 'r', operation: 'scan_bulk', tried: [{ what, ending }] }, '', '')
      .events[0]?.data.units[0]?.what
  for (const [given, kept] of [
    ['http://a.example/\0b\n', 'http://a.example/b'],
    ['http://a.example/\ud800', 'http://a.example/\ufffd'],
    ['http://user:pass@a.example/@x', 'http://a.example/@x'],
    ['http:user:p@ss@a.example?q=a@b', 'http:a.example?q=a@b'],
    [' ht\ttp:\\\\user@a.example\\x', ' http:\\\\a.example\\x'],
    ['//user:pass@a.example', '//a.example'],
    ['http://a.example/user:pass@', 'http://a.example/user:pass@'],
  ] as const) {
    t.equal(whatOf(given), kept, JSON.stringify(given))
  }
  const blank = `${' '.repeat(400_000)}http://user@a.example/`
  t.equal(whatOf(blank), ' '.repeat(servedLimits.whatBytes), 'in a moment, and not in minutes')
  const failed = whatOf(`http://a.example/${'x'.repeat(8_000)}`, 'failed') ?? ''
  t.equal(Buffer.byteLength(failed), servedLimits.failedBytes, 'failures keep less')

  const many = Array.from({ length: 20_000 }, (_, n) => ({
    as: n % 5 === 0 ? ('cloud_render' as const) : ('scan' as const),
    ending: 'billed' as const,
    what: `https://example.com/${n}/${'x'.repeat(3_000)}`,
  }))
  const large = commit(many)
  t.ok(Value.Check(ServedCommit, large))
  t.ok(Buffer.byteLength(JSON.stringify(large)) < 4 * 1024 ** 2)
  const units = large.events[0]?.data.units ?? []
  t.ok(units.length <= servedLimits.entries)
  const sum = (wanted: string) => units.reduce((sum, { kind, n }) => (kind === wanted ? sum + n : sum), 0)
  t.equal(sum('page'), 16_000)
  t.equal(sum('cloud_page'), 4_000)
  t.end()
})

test('Free units are reported beside billed ones, with their reason, and never many of them', t => {
  const tried: Tried[] = [
    { what: 'a', ending: 'billed' },
    { what: 'b', ending: 'cached' },
    { what: 'c', ending: 'failed' },
    { what: 'd', ending: 'blocked' },
    { what: 'e', ending: 'billed', as: 'scan_screenshot' },
    { what: 'f', ending: 'failed', as: 'scan_screenshot' },
  ]
  const done = { requestId: 'r', operation: 'scan_bulk' as const, tried }
  const eventData = (more: Partial<typeof done>) =>
    commitOf(payer(1), { ...done, ...more }, '2026-01-02T03:04:05.678Z', undefined).events[0]?.data
  t.strictSame(eventData({})?.units, [
    { kind: 'page', n: 1, what: 'a' },
    { kind: 'page', n: 1, what: 'b', reason: 'cached' },
    { kind: 'page', n: 1, what: 'c', reason: 'failed' },
    { kind: 'cloud_page', n: 1, what: 'e' },
  ])
  t.strictSame(eventData({})?.waived, [
    { kind: 'page', what: 'd', reason: 'blocked' },
    { kind: 'cloud_page', what: 'f', reason: 'failed' },
  ])
  t.strictSame(unitsSpent(done), { page: 3, cloud_page: 1 })

  const flood = Array.from({ length: 100 }, () => ({ what: 'x'.repeat(5_000), ending: 'blocked' as const }))
  t.notOk(eventData({})?.unlisted, 'all are listed')
  const cloud = { what: 'c', ending: 'failed' as const, as: 'cloud_scrape' as const }
  t.strictSame(
    eventData({ tried: [...flood, cloud] })?.unlisted,
    { page: 84, cloud_page: 1 },
    'others are counted',
  )
  const listed = eventData({ tried: flood })?.waived ?? []
  t.equal(listed.length, servedLimits.waivedBytes / servedLimits.failedBytes)
  t.ok(listed.every(({ what }) => what.length === servedLimits.failedBytes))
  t.end()
})

test('A commit has the part of the request, its cost, and its use of a model', t => {
  const named = { requestId: 'r', part: 2, operation: 'scan' as const }
  const extraction = { model: { name: 'm', input_tokens: 7, output_tokens: 2 } }
  const tried = [{ what: 'https://a.example/', ending: 'billed' as const }]
  const { model } = modelUsed(extraction, 'https://user:pass@a.example/')
  const done = { ...named, tried, costUsd: 0.5, isUncounted: true, ...(model && { model }) }
  const at = '2026-01-02T03:04:05.678Z'
  t.strictSame(commitOf(payer(7), done, at, undefined).events, [
    {
      type: 'RequestServed',
      data: {
        ...{ projectId: 7, ...named, costUsd: 0.5, uncounted: true },
        units: [{ kind: 'page', n: 1, what: 'https://a.example/' }],
      },
    },
    {
      type: 'ModelCalled',
      data: {
        projectId: 7,
        ...named,
        model: 'm',
        inputTokens: 7,
        outputTokens: 2,
        what: 'https://a.example/',
      },
    },
  ])
  t.strictSame(modelUsed({}, 'https://a.example/'), {})
  t.end()
})

test('The headers report as many units as the commit bills', t => {
  const tried = fc.record({
    what: fc.constant('https://example.com/'),
    ending: fc.constantFrom('billed', 'cached', 'failed', 'blocked'),
    n: fc.integer({ min: 1, max: 50 }),
    as: fc.constantFrom('scan', 'scan_bulk', 'scan_cloud', 'check_links', 'map'),
  })
  fc.assert(
    fc.property(fc.array(tried, { maxLength: 20 }), tried => {
      const done = { requestId: 'r', operation: 'scan', tried } as const
      const [commit] = commitOf(payer(1), done, '2026-01-02T03:04:05.678Z', undefined).events
      const committed = { page: 0, cloud_page: 0 }
      for (const { kind, n } of commit?.data.units ?? []) committed[kind] += n
      t.strictSame(committed, unitsSpent(done))
    }),
    { numRuns: 30 },
  )
  t.end()
})

test('Metering synchronous requests, with the ledger', async t => {
  const small = { STREAM_SERVED_BYTES: String(1024 ** 2) }
  const declare = (url: string) => declareStreams(url, { ...process.env, ...small })
  const { env, nats, bus, pool, stack } = await surroundings(t, { database, declare })
  const metering = openMetering(bus)
  const page = (requestId: string, units: number) => ({ requestId, kind: 'page' as const, units })
  let ledger: AsyncDisposable | null = await startLedger()
  stack.defer(async () => ledger?.[Symbol.asyncDispose]())

  t.test('it reserves, bills what was served, and refuses beyond the cap', async t => {
    const mine = payer(1)
    t.strictSame(await metering.reserve(mine, page('a', 450)), { granted: 450, reason: null })
    t.strictSame(await metering.reserve(mine, page('b', 60)), {
      granted: 50,
      reason: 'daily_pages',
      held: 10,
    })
    await t.rejects(metering.reserve(mine, page('c', 1)), {
      status: 429,
      code: 'too_many_requests',
      reason: 'daily_pages',
      retryAfterSeconds: 5,
      message: /in progress have reserved/,
    })
    await metering.served(mine, {
      requestId: 'a',
      operation: 'scan' as const,
      tried: [{ what: 'https://a.example/', ending: 'billed' }],
    })
    metering.release(mine, 'b')
    await until(async () => (await unitsOf(1)).length === 1 && (await heldOf(1)) === 0)
    t.strictSame(await unitsOf(1), ['served:a:0'])
    t.strictSame(await metering.reserve(mine, page('d', 1)), { granted: 1, reason: null })
  })

  t.test('it names the month when that is used up as well', async t => {
    await pool.query(
      `insert into ledger.counter (project_id, day, pages)
       select 2, day, 5000 from unnest(array[(now() at time zone 'utc')::date, (now() at time zone 'utc')::date + 1]) as day`,
    )
    const refused = metering.reserve(payer(2), page('a', 1))
    await t.rejects(refused, { code: 'too_many_requests', reason: 'monthly_pages' })
  })

  t.test('it grants a project without limits all requested units', async t => {
    const mine = payer(2, { unlimited: true })
    t.strictSame(await metering.reserve(mine, page('a', 100_000)), { granted: 100_000, reason: null })
    t.equal(await heldOf(2), 0)
  })

  t.test('it bills once what it says twice', async t => {
    const done = {
      requestId: 'twice',
      operation: 'scan' as const,
      tried: [{ what: 'a', ending: 'billed' as const, n: 3 }],
    }
    await Promise.all([metering.served(payer(3), done), metering.served(payer(3), done)])
    await metering.served(payer(3), done)
    await until(async () => (await unitsOf(3)).length === 3)
    t.equal(
      (await bus.jsm.streams.info(streams.served, { subjects_filter: '>' })).state.subjects?.['served.3'],
      1,
    )
  })

  t.test('it bills a request part by part, each with a reservation of its own, under one name', async t => {
    const mine = payer(7)
    const part = async (number: number, tried: string[]) => {
      const requested = { ...page('parts', 200), part: number, orNone: true as const }
      const { granted } = await metering.reserve(mine, requested)
      const operation = 'sitemap_audit' as const
      const done = tried.map(what => ({ what, ending: 'failed' as const }))
      if (granted > 0)
        await metering.served(mine, { requestId: 'parts', part: number, operation, tried: done })
      return granted
    }
    t.strictSame([await part(1, ['a', 'b']), await part(2, ['c'])], [200, 200])
    await until(async () => (await unitsOf(7)).length === 3 && (await heldOf(7)) === 0)
    t.strictSame(await unitsOf(7), ['served:parts/2:0', 'served:parts:0', 'served:parts:1'])
    const named = await pool.query(
      `select distinct request_id as named from ledger.unit where project_id = 7`,
    )
    t.strictSame(named.rows, [{ named: 'parts' }])
    await metering.reserve(mine, page('others', 497))
    t.equal(await part(3, ['d']), 0, 'and at the cap it is granted none')
  })

  t.test('it lets nothing begin while the ledger is away, and loses nothing meanwhile', async t => {
    await metering.reserve(payer(4), page('before', 1))
    await ledger?.[Symbol.asyncDispose]()
    ledger = null
    const refused = metering.reserve(payer(4), page('during', 1))
    await t.rejects(refused, { status: 503, code: 'unavailable', retryAfterSeconds: 2 })
    await metering.served(payer(4), {
      requestId: 'before',
      operation: 'scan' as const,
      tried: [{ what: 'a', ending: 'billed' as const }],
    })
    ledger = await startLedger()
    await until(async () => (await unitsOf(4)).length === 1)
    t.equal((await metering.reserve(payer(4), page('after', 1))).granted, 1)
  })

  t.test('it lets nothing begin that could not be billed, and releases its reservation', async t => {
    const filler = new Uint8Array(100_000)
    await t.rejects(
      (async () => {
        for (;;) await publish(bus, subjects.served(99), filler)
      })(),
      { name: 'StreamFull' },
    )
    for (;;) {
      const full = await publish(bus, subjects.served(99), new Uint8Array(1_000)).catch(error => error)
      if (full instanceof Error) break
    }
    const fresh = openMetering(bus)
    await t.rejects(fresh.reserve(payer(5), page('a', 500)), {
      status: 503,
      code: 'unavailable',
      retryAfterSeconds: 5,
    })
    await until(async () => (await heldOf(5)) === 0)
    const done = {
      requestId: 'b',
      operation: 'scan' as const,
      tried: [{ what: 'x'.repeat(2_000), ending: 'billed' as const }],
    }
    await t.rejects(fresh.served(payer(5), done), { status: 503, code: 'unavailable' })
  })

  t.test('it lets nothing begin while the bus is away', async t => {
    const other = await openBus({ url: nats.url, name: 'test' })
    const lonely = openMetering(other)
    await other.nc.close()
    await t.rejects(lonely.reserve(payer(6), page('a', 1)), { status: 503, code: 'unavailable' })
    t.doesNotThrow(() => lonely.release(payer(6), 'a'))
    const done = { requestId: 'a', operation: 'scan' as const, tried: [] }
    await t.rejects(lonely.served(payer(6), done), { status: 503, code: 'unavailable' })
  })

  /** Until it grants. */
  async function startLedger(): Promise<AsyncDisposable> {
    const started = await startService(env, new AbortController().signal)
    await until(() => metering.reserve(payer(98), page('first', 1)).then(Boolean, () => false))
    return started
  }

  async function unitsOf(projectId: number): Promise<string[]> {
    const sql = `select token from ledger.unit where project_id = $1 order by token`
    return (await pool.query(sql, [projectId])).rows.map(({ token }) => token)
  }

  async function heldOf(projectId: number): Promise<number> {
    const sql = `select coalesce(sum(units), 0)::int as n from ledger.reservation where project_id = $1`
    return (await pool.query(sql, [projectId])).rows[0].n
  }
})
