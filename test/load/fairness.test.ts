/**
 * Many tenants with very different loads on one fetcher of a thousand pages per second, with a simulated clock. Equal
 * demands get equal shares, and a tenant with a small demand waits no longer than its fair share takes. TENANTS=10000
 * prints the figures of docs/capacity.md instead, which takes a few minutes.
 */
import fc from 'fast-check'
import { test } from 'tap'
import { jainIndex } from './jain.ts'
import { type Served, type SimulatedTenant, simulate } from './simulated-tenants.ts'

/** The default settings, except for the duration of a page: 1000 pages per second are fetched. */
const fetching = { capacity: 512, held: 2_048, permits: 64, pageMs: 64 }
const pagesPerSecond = (1_000 * fetching.permits) / fetching.pageMs
const endless = 1_000_000
const minJain = 0.95
const maxSlower = 2

const tier = 'pro' as const
const large = (count: number, runsOf: (n: number) => number): SimulatedTenant[] =>
  Array.from({ length: count }, (_, n) => ({ tier, runs: runsOf(n), pages: endless, beginsAt: 0 }))
const little = (pages: number, beginsAt: number): SimulatedTenant => ({ tier, runs: 1, pages, beginsAt })

const fiveOrOne = (n: number) => (n % 2 === 0 ? 1 : 5)
const secondsOf = ({ tenant, endedAt }: Served) => ((endedAt ?? Infinity) - tenant.beginsAt) / 1000
const last = (served: Served[]) => served.at(-1) as Served
const jainOfPages = (served: Served[]) => jainIndex(served.map(({ counted }) => counted))

test('A small crawl beside a large tenant takes at most twice its time', async t => {
  const alone = secondsOf(last(await simulate([little(100, 0)], fetching, 60_000)))
  const beside = await simulate([...large(1, () => 5), little(100, 5_000)], fetching, 60_000)
  const seconds = secondsOf(last(beside))
  t.comment({ alone, beside: seconds })
  t.ok(seconds <= maxSlower * alone + fetching.pageMs / 1000, `${seconds} s, alone ${alone} s`)
})

test('Tenants get equal shares, however many crawls they have', async t => {
  for (const [count, runsOf] of [
    [10, () => 1],
    [100, fiveOrOne],
    [300, fiveOrOne],
  ] as const) {
    const served = await simulate(large(count, runsOf), fetching, 20_000)
    t.ok(jainOfPages(served) >= minJain, `${count} tenants: ${jainOfPages(served).toFixed(4)}`)
    const pages = served.reduce((sum, one) => sum + one.pages, 0)
    t.ok(pages >= 0.95 * 20 * pagesPerSecond, `the fetcher is used fully: ${pages} pages`)
  }
})

/** An eighth of the capacity and of the fetcher, so that 125 tenants correspond to a thousand. */
const small = { ...fetching, capacity: 64, held: 256 }

test('Tenants get equal shares in a crowd, and small crawls wait little longer than their fair share', async t => {
  const count = 125
  const few = Array.from({ length: 20 }, (_, n) => little(10, 20_000 + n * 100))
  const served = await simulate([...large(count, fiveOrOne), ...few], small, 50_000, 20_000)
  const jain = jainOfPages(served.slice(0, count))
  const maxWait = Math.max(...served.slice(count).map(secondsOf))
  const fair = (10 * (count + few.length)) / pagesPerSecond
  t.comment({ jain, maxWait, fair })
  t.ok(jain >= minJain, `Jain index ${jain.toFixed(4)}`)
  t.ok(maxWait <= maxSlower * fair, `${maxWait} s, the fair share is ${fair} s`)
})

test('Any set of tenants gets all its pages, and small crawls wait for their fair share', async () => {
  const tenants = fc.array(
    fc.record({
      tier: fc.constantFrom('free', 'pro', 'agency', 'studio'),
      runs: fc.integer({ min: 1, max: 5 }),
      pages: fc.integer({ min: 1, max: 300 }),
      beginsAt: fc.integer({ min: 0, max: 5_000 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  const property = fc.asyncProperty(tenants, async all => {
    const served = await simulate(all, fetching, Infinity)
    for (const one of served) {
      const wanted = one.tenant.runs * one.tenant.pages
      if (one.pages !== wanted || one.endedAt === null) return false
      // A fair share of the fetcher among these tenants, and the messages that were in progress before.
      const fair = (wanted * all.length) / pagesPerSecond
      if (secondsOf(one) > maxSlower * (fair + 1)) return false
    }
    return true
  })
  await fc.assert(property, { numRuns: Number(process.env.RUNS ?? 12) })
})

const many = Number(process.env.TENANTS ?? 0)

test('A crowd', { skip: many === 0 && 'TENANTS=10000 prints the figures', timeout: 0 }, async t => {
  for (let count = 10; count <= many; count *= 10) {
    for (const [runs, runsOf] of [
      ['1', () => 1],
      ['1 or 5', fiveOrOne],
    ] as const) {
      const settledMs = Math.max(20_000, count * 15)
      const few = Array.from({ length: 50 }, (_, n) => little(10, settledMs + n * 100))
      const served = await simulate([...large(count, runsOf), ...few], fetching, 3 * settledMs, settledMs)
      const waits = served.slice(count).map(secondsOf)
      const figures = { tenants: count, runs, jain: jainOfPages(served.slice(0, count)).toFixed(4) }
      t.comment({ ...figures, maxWait: Math.max(...waits), fair: (10 * (count + 50)) / pagesPerSecond })
    }
  }
})
