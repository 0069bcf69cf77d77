/** The faults of a simulation. Each remote call of a process has a fate; after the healing all succeed. */
import type { Random } from './random.ts'
import type { Task, World } from './world.ts'

/**
 * `lost`: the request never arrives. `unheard`: it is carried out, and its response never arrives. The two crashes end
 * the process just before the request and just after its effect.
 */
export type Fate = 'arrives' | 'lost' | 'unheard' | 'crash before' | 'crash after'

/** Probabilities for each remote call; means in milliseconds for what happens at random times. */
export type Plan = {
  lost: number
  unheard: number
  crash: number
  slow: number
  /** An acknowledgement that never arrives. */
  ackLost: number
  everyMs: Record<'pause' | 'disconnect' | 'busKill' | 'full' | 'clock' | 'redisAway', number>
}

/** Chooses the plan of a seed: some seeds have one kind of fault, some have all, a few have none. */
export function planOf(random: Random): Plan {
  const strength = random.pick([0, 0.3, 1, 1, 2.5])
  const maybe = (value: number): number => (random.chance(0.6) ? value * strength : 0)
  const every = (meanMs: number): number =>
    strength > 0 && random.chance(0.5) ? meanMs / strength : Infinity
  return {
    lost: maybe(0.004),
    unheard: maybe(0.006),
    crash: maybe(0.003),
    slow: maybe(0.02),
    ackLost: maybe(0.05),
    everyMs: {
      pause: every(20_000),
      disconnect: every(15_000),
      busKill: every(25_000),
      full: every(40_000),
      clock: every(40_000),
      redisAway: every(30_000),
    },
  }
}

export const noFaults: Plan = {
  ...{ lost: 0, unheard: 0, crash: 0, slow: 0, ackLost: 0 },
  everyMs: {
    ...{ pause: Infinity, disconnect: Infinity, busKill: Infinity },
    ...{ full: Infinity, clock: Infinity, redisAway: Infinity },
  },
}

/** Returns the plan without one kind of fault. */
export const withoutKind = ({ everyMs, ...rates }: Plan, kind: string): Plan => ({
  ...rates,
  ...(kind in rates && { [kind]: 0 }),
  everyMs: { ...everyMs, ...(kind in everyMs && { [kind]: Number.POSITIVE_INFINITY }) },
})

export class Faults {
  readonly plan: Plan
  readonly #world: World
  readonly #random: Random
  #isHealed = false
  /** Number of faults by kind. */
  readonly counts = new Map<string, number>()

  constructor(world: World, plan: Plan) {
    this.#world = world
    this.#random = world.random.fork()
    this.plan = plan
  }

  get isHealed(): boolean {
    return this.#isHealed
  }

  heal(): void {
    this.#isHealed = true
  }

  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }

  /** @param rate part of the usual probabilities */
  fateOf(task: Task, call: string, rate = 1): Fate {
    if (this.#isHealed) return 'arrives'
    const { lost, unheard, crash } = this.plan
    const thrown = this.#random.next() / rate
    let fate: Fate = 'arrives'
    if (thrown < lost) fate = 'lost'
    else if (thrown < lost + unheard) fate = 'unheard'
    else if (thrown < lost + unheard + crash / 2) fate = 'crash before'
    else if (thrown < lost + unheard + crash) fate = 'crash after'
    if (fate === 'arrives') return fate
    this.count(fate)
    this.#world.record(`${task.name}: ${fate} ${call}`)
    return fate
  }

  isAckLost(): boolean {
    const isLost = !this.#isHealed && this.#random.chance(this.plan.ackLost)
    if (isLost) this.count('ack lost')
    return isLost
  }

  /** Milliseconds of one way between a process and a server. */
  latency(): number {
    const isSlow = !this.#isHealed && this.#random.chance(this.plan.slow)
    return isSlow ? this.#random.between(100, 3_000) : this.#random.between(0, 3)
  }
}
