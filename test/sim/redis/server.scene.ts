/**
 * The simulated Redis server. Calls of a process keep their order, as on one connection. A call without a response
 * fails after the time limit of the real client. While the server is away its connections are closed, or it hangs and
 * carries out what has arrived when it is back.
 */
import type { Redis } from 'ioredis'
import type { Fate, Faults } from '../faults.ts'
import type { Task, World } from '../world.ts'
import { redisOver } from './client.scene.ts'
import { Keys } from './keys.ts'

/** As in `libs/redis/connect.ts`. */
const timeoutMs = 250
/** Services distrust slower responses than this. */
const slowMs = 10
/**
 * Part of the usual fault rate for each call. A fetcher calls Redis four times a second for each run, so at the
 * full rate it would crash most of the time.
 */
const faultRate = 0.2

type Act = (keys: Keys) => unknown

/** Receives times in which the state of a process and of Redis may differ. */
export type Troubled = (process: string, from: number, to: number) => void

type Connection = { task: Task; sentAt: number; receivedAt: number; pending: Set<() => void> }

export class RedisServer {
  readonly #world: World
  readonly #faults: Faults
  readonly #troubled: Troubled
  readonly #keys: Keys
  readonly #connections = new Set<Connection>()
  /** Time until which the server is away. With `#isHanging`, it still receives calls meanwhile. */
  #awayUntil = 0
  #isHanging = false

  constructor(world: World, faults: Faults, troubled: Troubled) {
    this.#world = world
    this.#faults = faults
    this.#troubled = troubled
    this.#keys = new Keys(() => world.now)
  }

  /** Returns the client of a process. */
  open(task: Task): Redis {
    const connection: Connection = { task, sentAt: 0, receivedAt: 0, pending: new Set() }
    this.#connections.add(connection)
    task.onEnd.push(() => void this.#connections.delete(connection))
    return redisOver((name, act) => this.#call(connection, name, act))
  }

  /** Makes the server unavailable. A server that does not hang has lost all keys when it is back. */
  goAway(ms: number, isHanging: boolean): void {
    const { now } = this.#world
    this.#awayUntil = Math.max(this.#awayUntil, now + ms)
    this.#isHanging = isHanging
    if (isHanging) return
    this.#keys.clear()
    for (const { task, pending } of this.#connections) {
      this.#troubled(task.name, now, this.#awayUntil)
      for (const breakOff of pending) breakOff()
      pending.clear()
    }
  }

  async #call(connection: Connection, name: string, act: Act): Promise<unknown> {
    const [{ now }, { task }] = [this.#world, connection]
    if (now < this.#awayUntil && !this.#isHanging) {
      this.#troubled(task.name, now, now)
      throw new Error("Stream isn't writeable and enableOfflineQueue options is false")
    }
    const fate = this.#faults.fateOf(task, `redis ${name}`, faultRate)
    if (fate === 'crash before') {
      this.#world.kill(task)
      return new Promise(() => {})
    }
    return this.#carryOut(connection, fate, act)
  }

  #carryOut(connection: Connection, fate: Fate, act: Act): Promise<unknown> {
    const [world, faults, { task, pending }] = [this.#world, this.#faults, connection]
    const sentAt = world.now
    const arrivesAt = Math.max(connection.sentAt, sentAt + faults.latency(), this.#awayUntil)
    const respondsAt = Math.max(connection.receivedAt, arrivesAt + faults.latency())
    connection.sentAt = arrivesAt
    connection.receivedAt = respondsAt
    const isReceived = fate === 'arrives' && respondsAt - sentAt < timeoutMs
    const endsAt = isReceived ? respondsAt : sentAt + timeoutMs
    if (!isReceived || endsAt - sentAt > slowMs)
      this.#troubled(task.name, sentAt, fate === 'lost' ? endsAt : Math.max(endsAt, arrivesAt))
    return new Promise((resolve, reject) => {
      let reply: unknown
      let isBroken = false
      const breakOff = () => {
        isBroken = true
        world.after(faults.latency(), () => reject(new Error('Connection is closed.')), task)
      }
      const arrive = () => {
        if (isBroken) return
        reply = act(this.#keys)
        if (fate === 'crash after') world.kill(task)
      }
      const settle = () => {
        pending.delete(breakOff)
        // A process that was paused sees the end of its time limit before it reads the response.
        if (isReceived && !isBroken && world.now - sentAt < timeoutMs) resolve(reply)
        else reject(new Error('Command timed out'))
      }
      pending.add(breakOff)
      if (fate !== 'lost') world.after(arrivesAt - sentAt, arrive, null)
      world.after(endsAt - sentAt, settle, task)
    })
  }
}
