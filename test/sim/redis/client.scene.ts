/** Returns the interface of the Redis client over any server in memory. It knows what the fetcher uses. */
import type { Redis } from 'ioredis'
import { Violation } from '../world.ts'
import type { Keys } from './keys.ts'
import { commands, scripts } from './scripts.ts'

/** Carries out a command at the server, and resolves with its reply. */
type Send = (name: string, act: (keys: Keys) => unknown) => Promise<unknown>

/** An unknown command or script is an error of the simulation, never of a service. */
const unknown = (what: string): Violation => new Violation(`The simulated Redis does not know: ${what}`)

/** The client of a simulated Redis. */
export type SimulatedRedis = Redis

export function redisOver(send: Send): SimulatedRedis {
  const defined = new Map<string, (...args: unknown[]) => Promise<unknown>>()
  const defineCommand = (name: string, { numberOfKeys }: { numberOfKeys?: number }) => {
    const run = scripts[name]
    if (run === undefined) throw unknown(name)
    defined.set(name, (...given) => {
      const [count, args] =
        numberOfKeys === undefined ? [Number(given[0]), given.slice(1)] : [numberOfKeys, given]
      const texts = args.map(String)
      return send(name, keys => run(keys, texts.slice(0, count), texts.slice(count)))
    })
  }
  for (const [name, run] of Object.entries(commands))
    defined.set(name, (...args) => send(name, keys => run(keys, ...args.map(String))))
  const client = { defineCommand }
  return new Proxy(client, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name)
      const known = typeof name === 'string' ? defined.get(name) : undefined
      // `await` looks for a method `then`.
      if (known !== undefined || name === 'then' || typeof name === 'symbol') return known
      throw unknown(name)
    },
  }) as unknown as Redis
}
