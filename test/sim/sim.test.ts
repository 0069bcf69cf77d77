/**
 * Simulates whole installations in one thread and in virtual time: coordinators, fetchers, extractors, ledger, webhook,
 * a bus, a database, Redis and a web. At the usual size, the seeds are the same in each run: an older fault that only
 * other seeds find does not block a new change. A time limit may end the test earlier. At the full size the seeds
 * differ. `SEED` sets the first seed.
 */
import { isFullTier, sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { reportOf, shortest } from './explain.ts'
import { noFaults } from './faults.ts'
import { simulate } from './simulate.ts'

const first = Number(process.env.SEED ?? (isFullTier ? Math.floor(Math.random() * 2 ** 31) : 1))
/** The usual size is above the number of seeds after which each planted fault is found (`planted.ts`). */
const seeds = sized(160, 10_000)
const limitMs = sized(45_000, 3_000_000)

const timeout = 3_600_000

test('A simulated installation crawls to the end without faults', { timeout }, async t => {
  for (let seed = 1; seed <= 5; seed++) {
    const result = await simulate(seed, { plan: noFaults })
    t.equal(result.violation, null, reportOf(result))
    t.ok(result.runs > 0)
  }
})

test('A seed is repeated exactly', { timeout }, async t => {
  const [one, two, other] = [await simulate(first), await simulate(first), await simulate(first + 1)]
  t.equal(one.digest, two.digest)
  t.equal(one.events, two.events)
  t.not(one.digest, other.digest)
})

/** Seeds whose installation was sound, while a check was wrong. */
const wronglyFailed = {
  30000947: 'a pause of a host',
  100017844: 'rest, while a paused coordinator had a request of a client that had given up',
}

test('A check fails no sound installation', { timeout }, async t => {
  for (const [seed, why] of Object.entries(wronglyFailed))
    t.equal((await simulate(Number(seed))).violation, null, why)
})

test('A simulated installation keeps its promises in spite of faults', { timeout }, async t => {
  t.comment(`seeds from ${first}; repeat with SEED=${first}`)
  const until = performance.now() + limitMs
  const seen = new Set<string>()
  let seed = first
  for (; seed < first + seeds && performance.now() < until; seed++) {
    const result = await simulate(seed)
    for (const kind of result.faults.keys()) seen.add(kind)
    if (result.violation === null) continue
    t.fail(reportOf(await shortest(result)))
    break
  }
  t.ok(seen.size >= 8, `${seed - first} seeds with ${[...seen].join(', ')}`)
})
