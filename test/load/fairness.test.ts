/**
 * Many tenants with very different loads before one fetcher of a thousand pages a second, by a simulated clock: who wants
 * equally much gets equally much, and who asks little waits no longer than his part takes. TENANTS=10000 tells the
 * figures of docs/capacity.md instead, for a few minutes.
 */
import fc from 'fast-check'
import { test } from 'tap'
import { jainIndex } from './jain.ts'
import { type Served, type SimulatedTenant, simulate } from './simulated-tenants.ts'

/** As they come, but for the time of a page: a thousand are fetched in a second. */
const fetching = { room: 512, held: 2_048, permits: 64, pageMs: 64 }
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
  t.ok(seconds <= maxSlower * alone + fetching.pageMs / 1000, `${seconds} s, and ${alone} s alone`)
})

test('Tenants get equally much, however many crawls they have', async t => {
  for (const [count, runsOf] of [
    [10, () => 1],
    [100, fiveOrOne],
    [300, fiveOrOne],
  ] as const) {
    const served = await simulate(large(count, runsOf), fetching, 20_000)
    t.ok(jainOfPages(served) >= minJain, `${count} tenants: ${jainOfPages(served).toFixed(4)}`)
    const pages = served.reduce((sum, one) => sum + one.pages, 0)
    t.ok(pages >= 0.95 * 20 * pagesPerSecond, `and nothing stands still: ${pages} pages`)
  }
})

/** An eighth of the room, and of the fetcher: a hundred and twenty-five are in it what a thousand are in a whole one. */
const small = { ...fetching, room: 64, held: 256 }

test('Tenants get equally much in a crowd too, and who asks little has to wait for little more than his part', async t => {
  const count = 125
  const few = Array.from({ length: 20 }, (_, n) => little(10, 20_000 + n * 100))
  const served = await simulate([...large(count, fiveOrOne), ...few], small, 50_000, 20_000)
  const jain = jainOfPages(served.slice(0, count))
  const maxWait = Math.max(...served.slice(count).map(secondsOf))
  const fair = (10 * (count + few.length)) / pagesPerSecond
  t.comment({ jain, maxWait, fair })
  t.ok(jain >= minJain, `Jain index ${jain.toFixed(4)}`)
  t.ok(maxWait <= maxSlower * fair, `${maxWait} s, and ${fair} s were his part`)
})

test('Whatever tenants there are, all is fetched, and who asks little waits for his part', async () => {
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
      // Beside so many, a fair part of the fetcher; and what was under way when it came.
      const fair = (wanted * all.length) / pagesPerSecond
      if (secondsOf(one) > maxSlower * (fair + 1)) return false
    }
    return true
  })
  await fc.assert(property, { numRuns: Number(process.env.RUNS ?? 30) })
})

const many = Number(process.env.TENANTS ?? 0)

test('A crowd', { skip: many === 0 && 'TENANTS=10000 tells the figures', timeout: 0 }, async t => {
  for (let count = 10; count <= many; count *= 10) {
    for (const [runs, runsOf] of [
      ['1', () => 1],
      ['1 or 5', fiveOrOne],
    ] as const) {
      const settledMs = Math.max(20_000, count * 15)
      const few = Array.from({ length: 50 }, (_, n) => little(10, settledMs + n * 100))
      const served = await simulate([...large(count, runsOf), ...few], fetching, 3 * settledMs, settledMs)
      const waits = served.slice(count).map(secondsOf)
      const told = { tenants: count, runs, jain: jainOfPages(served.slice(0, count)).toFixed(4) }
      t.comment({ ...told, maxWait: Math.max(...waits), fair: (10 * (count + 50)) / pagesPerSecond })
    }
  }
})
