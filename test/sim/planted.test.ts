/** The simulator finds each planted fault. A simulator that finds nothing in faulty code would prove nothing. */
import { isFullTier, sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import type { Plan } from './faults.ts'
import { planted } from './planted.ts'
import type { Seams } from './processes.ts'
import { type Result, simulate } from './simulate.ts'

const maxSeeds = 2_000
/** An installation without the fault rests within five minutes after each known seed has healed. */
const limitMs = sized(900_000, 3_600_000)
/** More faults than usual, so that few seeds suffice. */
const plan: Plan = {
  ...{ lost: 0.005, unheard: 0.01, crash: 0.005, slow: 0.05, ackLost: 0.05 },
  everyMs: {
    pause: 6_000,
    disconnect: 15_000,
    busKill: 25_000,
    full: 30_000,
    clock: 60_000,
    redisAway: 30_000,
  },
}

const simulated = (seams: Seams, seed: number): Promise<Result> => simulate(seed, { seams, plan, limitMs })

/** Results without a planted fault, by seed, because several faults are found by the same seed. */
const withoutFault = new Map<number, Promise<Result>>()

function simulatedWithoutFault(seed: number): Promise<Result> {
  const result = withoutFault.get(seed) ?? simulated({}, seed)
  withoutFault.set(seed, result)
  return result
}

/**
 * Returns the result of the first seed that finds the fault. The usual test tries the known one first, because the
 * earlier ones find nothing.
 */
async function find(plant: () => Seams, known: number): Promise<Result | null> {
  const seeds = Array.from({ length: maxSeeds }, (_, n) => n + 1)
  for (const seed of isFullTier ? seeds : [known, ...seeds]) {
    const result = await simulated(plant(), seed)
    if (result.violation !== null) return result
  }
  return null
}

for (const [name, { seeds, plant }] of Object.entries(planted)) {
  test(`A planted fault is found: ${name}`, { timeout: 3_600_000 }, async t => {
    const found = await find(plant, seeds)
    t.ok(found, `by seed ${found?.seed} (known: ${seeds}): ${found?.violation?.message}`)
    const { violation } = await simulatedWithoutFault(found?.seed ?? seeds)
    t.equal(violation, null, 'and the same seed passes without it')
  })
}
