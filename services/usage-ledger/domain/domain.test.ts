import { ServedCommit } from '@tidemark/contracts/served'
import { UsageCommit } from '@tidemark/contracts/usage'
import { test } from 'tap'
import { Value } from 'typebox/value'
import {
  billFor,
  billsFor as billsBy,
  freeOfRequest,
  freeOfRun,
  listedIn,
  type RequestFacts,
  type RunFacts,
} from './billing.ts'
import { grantOf, heldByOthers, type Reason, type Standing, secondsUntil } from './granting.ts'

const pages = (units: number, perDay: number | null, perMonth: number | null) =>
  ({ kind: 'page', units, limits: { perDay, perMonth } }) as const
const standing = (today: number, month: number, held: number, free = 0): Standing => ({
  ...{ today, month, held, free },
})

test('A request is granted as many units as fit', t => {
  const cases: [string, ReturnType<typeof pages>, Standing, number, Reason][] = [
    ['all of them under both caps', pages(10, 100, 1000), standing(0, 0, 0), 10, null],
    ['up to the last one', pages(10, 100, 1000), standing(60, 60, 30), 10, null],
    ['a part of them', pages(10, 100, 1000), standing(60, 60, 35), 5, 'daily_pages'],
    ['none when the day is used up', pages(10, 100, 1000), standing(100, 100, 0), 0, 'daily_pages'],
    ['none when others hold it all', pages(1, 100, 1000), standing(0, 0, 100), 0, 'daily_pages'],
    ['a part of the month', pages(10, 100, 1000), standing(0, 993, 0), 7, 'monthly_pages'],
    ['a part of the month that others hold', pages(10, 100, 1000), standing(0, 990, 4), 6, 'monthly_pages'],
    ['none of the month', pages(1, null, 1000), standing(5, 1000, 0), 0, 'monthly_pages'],
    [
      'the monthly cap is the reason when both are used up',
      pages(1, 10, 10),
      standing(10, 10, 0),
      0,
      'monthly_pages',
    ],
    [
      'nothing when more than the cap was spent',
      pages(1, 100, null),
      standing(250, 250, 0),
      0,
      'daily_pages',
    ],
    ['all up to ten caps of free results', pages(10, 100, 1000), standing(0, 0, 0, 1_000), 10, null],
    ['none after more free results', pages(10, 100, 1000), standing(0, 0, 0, 1_001), 0, 'free_results'],
    ['none of the cap, which is the reason', pages(1, 1, 10), standing(1, 1, 0, 11), 0, 'daily_pages'],
    ['all without a cap of the day', pages(10, null, 1000), standing(0, 0, 0, 1e9), 10, null],
    ['all without limit', pages(1_000_000, null, null), standing(1e9, 1e9, 1e9), 1_000_000, null],
  ]
  for (const [name, requested, before, granted, reason] of cases) {
    t.strictSame(grantOf(requested, before), { granted, reason }, name)
  }
  const cloud = { kind: 'cloud_page', units: 3, limits: { perDay: 2, perMonth: null } } as const
  t.strictSame(grantOf(cloud, standing(0, 0, 0)), { granted: 2, reason: 'cloud_pages' })
  t.strictSame(grantOf(cloud, standing(0, 0, 0, 21)), { granted: 0, reason: 'free_results' })

  const held = (units: number, before: Standing, own = 0) =>
    heldByOthers(pages(units, 100, 1000), before, own)
  t.equal(held(10, standing(0, 0, 100)), 10, 'units that others hold')
  t.equal(held(10, standing(60, 60, 35)), 5)
  t.equal(held(10, standing(100, 100, 0)), 0)
  t.equal(held(10, standing(100, 100, 50)), 0, 'nothing when all units are spent')
  t.equal(held(10, standing(0, 0, 100, 1_001)), 0, 'nothing after too many free results')
  t.equal(held(10, standing(0, 0, 100), 95), 5, 'without the units of the request itself')
  t.end()
})

test('A cap starts again at midnight UTC, or with the next month', t => {
  const at = (text: string, reason: Reason) => secondsUntil(reason, Date.parse(text))
  t.equal(at('2026-01-31T23:59:59.999Z', 'daily_pages'), 1)
  t.equal(at('2026-02-01T00:00:00.000Z', 'daily_pages'), 86_400)
  t.equal(at('2026-02-01T00:00:00.000Z', 'cloud_pages'), 86_400)
  t.equal(at('2026-02-01T12:00:00.000Z', 'free_results'), 43_200)
  t.equal(at('2026-01-31T23:59:59.999Z', 'monthly_pages'), 1)
  t.equal(at('2026-02-01T00:00:00.000Z', 'monthly_pages'), 28 * 86_400)
  t.equal(at('2028-02-01T00:00:00.000Z', 'monthly_pages'), 29 * 86_400, 'in a leap year')
  t.equal(at('2026-12-31T12:00:00.000Z', 'monthly_pages'), 12 * 3600, 'at the end of a year')
  t.equal(at('2026-12-31T12:00:00.000Z', null), null)
  t.end()
})

const all = Number.POSITIVE_INFINITY
const billsFor = (facts: RequestFacts) => billsBy(facts, all)

const facts = (
  units: RequestFacts['served']['units'],
  at = '2026-01-31T23:59:59.999Z',
  costUsd = 0,
): RequestFacts => ({
  at,
  trace: undefined,
  served: { projectId: 7, requestId: 'r', operation: 'scan_bulk', units, costUsd },
  call: null,
})

test('A request is billed for each of its units, numbered across kinds and messages', t => {
  const [bill, ...others] = billsFor(
    facts([
      { kind: 'page', n: 1, what: 'a' },
      { kind: 'cloud_page', n: 2, what: 'b' },
      { kind: 'page', n: 1, what: 'c' },
    ]),
  )
  t.strictSame(others, [])
  const common = { projectId: 7, requestId: 'r', operation: 'scan_bulk', day: '2026-01-31' }
  t.strictSame(bill?.events, [
    {
      type: 'ServedUnitsSpent',
      data: {
        ...common,
        kind: 'page',
        units: [
          { token: 'served:r:0', what: 'a' },
          { token: 'served:r:3', what: 'c' },
        ],
      },
    },
    {
      type: 'ServedUnitsSpent',
      data: {
        ...common,
        kind: 'cloud_page',
        units: [
          { token: 'served:r:1', what: 'b' },
          { token: 'served:r:2', what: 'b' },
        ],
      },
    },
  ])
  t.strictSame(billsFor(facts([])), [], 'which is nothing where it spent nothing')
  const tokens = { model: 'm', inputTokens: 7, outputTokens: 2 }
  const call = {
    projectId: 7,
    requestId: 'r',
    part: 2,
    operation: 'scan',
    what: 'https://u:p@a.test/',
    ...tokens,
  }
  const called = { ...facts([{ kind: 'page', n: 1, what: 'a' }]), call }
  t.match(billsFor(called), [
    {
      events: [
        { type: 'ServedUnitsSpent' },
        {
          type: 'ModelCallsSpent',
          data: {
            kind: 'model_call',
            part: 2,
            units: [{ token: 'model:r/2', what: 'https://a.test/', ...tokens }],
          },
        },
      ],
    },
  ])
  t.strictSame(billsFor(called), billsFor(called), 'the same at each reading')

  const many = facts([{ kind: 'page', n: 2_500, what: 'sitemap' }], undefined, 0.25)
  const bills = billsFor(many)
  t.ok(bills.every(bill => Value.Check(UsageCommit, bill)))
  t.ok(Value.Check(ServedCommit, { at: many.at, events: [{ type: 'RequestServed', data: many.served }] }))
  const data = bills.flatMap(({ events }) =>
    events.flatMap(event => (event.type === 'ServedUnitsSpent' ? [event.data] : [])),
  )
  t.strictSame(
    data.map(({ units, more }) => [units.length, more]),
    [
      [1_000, true],
      [1_000, true],
      [500, undefined],
    ],
  )
  const full = billsFor(facts([{ kind: 'page', n: 1_000, what: 'sitemap' }]))
  t.notOk(JSON.stringify(full).includes('"more"'), 'a full message may be the last one')
  const units = data.flatMap(({ units }) => units)
  t.equal(new Set(units.map(({ token }) => token)).size, 2_500)
  t.equal(
    units.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    0.25,
    'the cost is billed once',
  )
  t.end()
})

test('A request belongs to the day of its commit', t => {
  const dayOf = (at: string) =>
    billsFor(facts([{ kind: 'page', n: 1, what: 'a' }], at)).map(({ events }) => events[0]?.data.day)
  t.strictSame(dayOf('2026-01-31T23:59:59.999Z'), ['2026-01-31'])
  t.strictSame(dayOf('2026-02-01T00:00:00.000Z'), ['2026-02-01'])
  t.end()
})

const key = (n: number) => String(n).padStart(11, 'k')
const run = (at: string, settled: RunFacts['settled']): RunFacts => ({
  runId: 3,
  at,
  trace: undefined,
  projectId: null,
  settled,
  failed: 0,
  billable: null,
  reopening: null,
})

test('The free results of a commit are challenges and failures', t => {
  const at = '2026-01-31T23:59:59.999Z'
  const settled = [
    { key: key(1), id: 31 },
    { key: key(2), id: 32, blocked: true as const },
    { key: key(3), id: 33, blocked: true as const, rendered: true as const },
    { key: key(4), id: 34, rendered: true as const },
  ]
  t.strictSame(freeOfRun({ ...run(at, settled), failed: 5 }, 7), {
    ...{ projectId: 7, day: '2026-01-31' },
    units: { page: 6, cloud_page: 1 },
  })
  const request = facts([{ kind: 'page', n: 9, what: 'a' }], at)
  const { projectId } = request.served
  const none = { projectId, day: '2026-01-31', units: { page: 0, cloud_page: 0 } }
  t.strictSame(freeOfRequest(request), none)
  const waived = (['page', 'page', 'cloud_page'] as const).map(kind => ({
    ...{ kind, what: 'b', reason: 'failed' as const },
  }))
  const served = { ...request.served, waived, unlisted: { page: 40 } }
  t.strictSame(freeOfRequest({ ...request, served }), { ...none, units: { page: 42, cloud_page: 1 } })
  t.strictSame(freeOfRequest({ ...request, served: { ...served, uncounted: true } }), none)
  t.end()
})

test('A page belongs to the day of the commit that settled it, however often and late it is billed', t => {
  const settled = [
    { key: key(1), id: 31 },
    { key: key(2), id: 32, attempt: 2 },
    { key: key(3), id: 33, blocked: true as const },
  ]
  const before = billFor(run('2026-01-31T23:59:59.999Z', settled), 7, all)
  t.strictSame(before, billFor(run('2026-01-31T23:59:59.999Z', settled), 7, all))
  const common = { projectId: 7, runId: 3, kind: 'page', day: '2026-01-31' }
  t.strictSame(before?.events, [
    {
      type: 'UnitsSpent',
      data: {
        ...common,
        units: [
          { token: `3:${key(1)}`, pageId: 31 },
          { token: `3:${key(2)}`, pageId: 32, attempt: 2 },
        ],
      },
    },
    {
      type: 'UnitsWaived',
      data: { ...common, reason: 'blocked', units: [{ token: `waived:3:${key(3)}`, pageId: 33 }] },
    },
  ])
  const byBrowser = [
    { key: key(4), id: 34 },
    { key: key(5), id: 35, rendered: true as const },
    { key: key(6), id: 36, rendered: true as const, blocked: true as const },
  ]
  const events = billFor(run('2026-02-01T00:00:00.000Z', byBrowser), 7, all)?.events
  t.match(events, [
    { type: 'UnitsSpent', data: { kind: 'page', units: [{ token: `3:${key(4)}` }] } },
    { type: 'UnitsSpent', data: { kind: 'cloud_page', units: [{ token: `3:${key(5)}`, pageId: 35 }] } },
    { type: 'UnitsWaived', data: { kind: 'cloud_page', reason: 'blocked', units: [{ pageId: 36 }] } },
  ])
  t.equal(events?.length, 3, 'a rendered page is a cloud page and not also a page')
  const after = billFor(run('2026-02-01T00:00:00.000Z', settled.slice(0, 1)), 7, all)
  t.match(after?.events, [{ data: { day: '2026-02-01', units: [{ token: `3:${key(1)}` }] } }])
  t.end()
})

test('Free units come with the last bill, up to a limit per project and day', t => {
  const waived = Array.from({ length: 4 }, (_, n) => ({
    kind: 'page' as const,
    what: `http://user:pass@a.example/${n}`,
    reason: 'blocked' as const,
  }))
  const billed = facts([{ kind: 'page', n: 1_001, what: 'a', reason: 'cached' }])
  const bills = billsFor({ ...billed, served: { ...billed.served, waived } })
  t.ok(bills.every(bill => Value.Check(UsageCommit, bill)))
  t.strictSame(
    bills.map(({ events }) => events.map(({ type, data }) => [type, data.units.length])),
    [
      [['ServedUnitsSpent', 1_000]],
      [
        ['ServedUnitsSpent', 1],
        ['ServedUnitsWaived', 4],
      ],
    ],
  )
  t.match(bills[1]?.events[0]?.data.units, [{ token: 'served:r:1000', reason: 'cached' }])
  t.match(bills[1]?.events[1]?.data.units[3], { token: 'waived:r:3', what: 'http://a.example/3' })

  const free = { ...facts([]), served: { ...facts([]).served, waived } }
  const listed = (max: number) => listedIn(billsBy(free, max))
  t.strictSame([listed(6), listed(2), listed(0)], [4, 2, 0])
  t.strictSame(billsBy(free, 2), billsBy(free, 2), 'the same bills for the same commit and maximum')
  t.strictSame(billsBy(free, 0), [], 'no bill without units')
  const blocked = Array.from({ length: 9 }, (_, n) => ({ key: key(n), id: n, blocked: true as const }))
  t.equal(billFor(run('2026-01-31T00:00:00.000Z', blocked), 7, 0), null)
  t.match(billFor(run('2026-01-31T00:00:00.000Z', blocked), 9, 6)?.events, [
    { type: 'UnitsWaived', data: { units: { length: 6 } } },
  ])
  t.end()
})
