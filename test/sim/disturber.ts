/**
 * Causes the faults that come at random times: pauses, broken connections, kills of servers, full streams, skewed
 * clocks.
 */
import { streams } from '@tidemark/contracts/subjects'
import type { Faults, Plan } from './faults.ts'
import type { Random } from './random.ts'
import type { System } from './system.ts'
import type { World } from './world.ts'

type Kind = keyof Plan['everyMs']

export class Disturber {
  readonly #world: World
  readonly #faults: Faults
  readonly #system: System
  readonly #random: Random

  constructor(world: World, faults: Faults, system: System) {
    this.#world = world
    this.#faults = faults
    this.#system = system
    this.#random = world.random.fork()
  }

  start(): void {
    for (const [kind, meanMs] of Object.entries(this.#faults.plan.everyMs))
      if (Number.isFinite(meanMs)) this.#next(kind as Kind, meanMs)
  }

  #next(kind: Kind, meanMs: number): void {
    const ms = -Math.log(1 - this.#random.next()) * meanMs
    this.#world.after(
      ms,
      () => {
        if (this.#faults.isHealed) return
        this.#faults.count(kind)
        this.#cause(kind)
        this.#next(kind, meanMs)
      },
      null,
    )
  }

  #cause(kind: Kind): void {
    const process = this.#random.pick(this.#system.processes)
    const ms = this.#random.between(500, 20_000)
    const { network } = this.#system
    if (kind === 'pause') this.#system.pause(process, 2 * ms)
    else if (kind === 'disconnect') {
      this.#world.record(`${process.name}: loses its connection`)
      process.connection?.breakFor(ms)
    } else if (kind === 'busKill') {
      this.#world.record('the bus is killed')
      network.restart(ms / 3)
    } else if (kind === 'full')
      this.#fill(this.#random.pick([streams.runs, streams.fetch, streams.outcomes]), ms / 2)
    else if (kind === 'redisAway') this.#takeRedisAway(ms)
    else if (process.task !== null) {
      process.task.skewMs = this.#random.between(-120_000, 120_000)
      this.#world.record(`${process.name}: its clock is off by ${process.task.skewMs} ms`)
    }
  }

  #takeRedisAway(ms: number): void {
    const isHanging = this.#random.chance(0.5)
    this.#world.record(isHanging ? 'Redis hangs' : 'Redis is killed')
    this.#system.redis.goAway(ms / 2, isHanging)
  }

  #fill(name: string, ms: number): void {
    const stream = this.#system.network.jetstream.stream(name)
    this.#world.record(`${name} is full`)
    stream.isFull = true
    const empty = () => {
      stream.isFull = false
    }
    this.#world.after(ms, empty, null)
  }
}
