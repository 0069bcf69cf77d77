/**
 * Simulates one seed: starts an installation, injects faults for a while, heals the installation, and checks that all
 * crawls end correctly.
 */
import { virtualClock } from './clock.ts'
import { Disturber } from './disturber.ts'
import { Faults, type Plan, planOf } from './faults.ts'
import type { Seams } from './processes.ts'
import { System } from './system.ts'
import { Violation, World } from './world.ts'

export type Options = {
  plan?: Plan
  seams?: Seams
  /** Maximum virtual time between the healing and the rest. */
  limitMs?: number
}

export type Result = {
  seed: number
  /** Hash of everything that happened. */
  digest: string
  violation: Error | null
  story: string[]
  plan: Plan
  /** Number of events, runs and faults. */
  events: number
  runs: number
  faults: ReadonlyMap<string, number>
  virtualMs: number
}

const startedAt = Date.UTC(2026, 0, 2, 8)
const hourMs = 3_600_000
/** All crawls of a healed installation end within this time. */
const usualLimitMs = 3 * hourMs
/** Time to wait at rest, because late messages could still cause a violation. */
const afterMs = 40_000
const pollIntervalMs = 1_000

export async function simulate(
  seed: number,
  { plan: fixed, seams = {}, limitMs = usualLimitMs }: Options = {},
): Promise<Result> {
  const world = new World(seed, startedAt)
  const chosen = planOf(world.random.fork())
  const plan = fixed ?? chosen
  const faults = new Faults(world, plan)
  const healsAt = startedAt + world.random.between(20_000, 90_000)
  using _ = virtualClock(world)
  const system = new System(world, faults, seams)
  system.start()
  new Disturber(world, faults, system).start()
  world.after(
    healsAt - world.now,
    () => {
      world.record('healed')
      faults.heal()
    },
    null,
  )
  let unrest: string | null = 'it has not begun'
  const look = () => {
    unrest = faults.isHealed ? system.unrest() : unrest
    if (unrest !== null) world.after(pollIntervalMs, look, null)
  }
  look()
  await world.run(() => unrest === null, healsAt + limitMs)
  if (unrest !== null && world.violation === null)
    world.fail(new Violation(`no rest within ${limitMs / hourMs} hours after the healing: ${unrest}`))
  const restAt = world.now
  await world.run(() => false, restAt + afterMs)
  if (world.violation === null) check(world, system)
  return {
    ...{ seed, digest: world.digest(), violation: world.violation, story: world.story, plan },
    ...{
      events: world.events,
      runs: system.checker.runs.size,
      faults: faults.counts,
      virtualMs: restAt - startedAt,
    },
  }
}

function check(world: World, system: System): void {
  try {
    const unrest = system.unrest()
    if (unrest !== null) throw new Violation(`it was at rest, and then not: ${unrest}`)
    system.checker.atRest()
  } catch (error) {
    world.fail(error)
  }
}
