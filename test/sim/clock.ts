/**
 * Replaces the clocks and timers of the runtime by virtual ones, for code that knows nothing of a simulation. Live
 * bindings of `node:timers/promises` follow, because its exports are synchronized.
 */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import type { Event, World } from './world.ts'

const RealDate = globalThis.Date
const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  clearImmediate: globalThis.clearImmediate,
  random: Math.random,
  sleep: timers.setTimeout,
  breathe: timers.setImmediate,
}

/** A timer as Node returns it. */
class VirtualTimer {
  event: Event | null = null

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    clear(this)
  }
}

function clear(timer: unknown): void {
  if (timer instanceof VirtualTimer && timer.event !== null) timer.event.isCancelled = true
}

/** Minimum delay of a timer in milliseconds, as in Node. */
const minMs = 1

/** Makes all clocks and timers virtual. Dispose the result before anything else needs real ones. */
export function virtualClock(world: World): Disposable {
  const chance = world.random.fork()

  function after(ms: number, act: () => void): VirtualTimer {
    const timer = new VirtualTimer()
    timer.event = world.after(Math.max(ms || 0, minMs), act)
    return timer
  }

  function every(ms: number, act: () => void): VirtualTimer {
    const timer = new VirtualTimer()
    const again = () => {
      act()
      if (timer.event !== null && !timer.event.isCancelled)
        timer.event = world.after(Math.max(ms || 0, minMs), again)
    }
    timer.event = world.after(Math.max(ms || 0, minMs), again)
    return timer
  }

  function sleep<T>(ms: number | undefined, value: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        clear(timer)
        reject(new DOMException('The operation was aborted', 'AbortError'))
      }
      const timer = after(ms ?? minMs, () => {
        signal?.removeEventListener('abort', abort)
        resolve(value)
      })
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  }

  class VirtualDate extends RealDate {
    constructor(...values: unknown[]) {
      if (values.length === 0) super(world.clock)
      else super(...(values as [number]))
    }

    static override now(): number {
      return world.clock
    }
  }

  Object.assign(globalThis, {
    setTimeout: (act: (...args: unknown[]) => void, ms: number, ...args: unknown[]) =>
      after(ms, () => act(...args)),
    setInterval: (act: (...args: unknown[]) => void, ms: number, ...args: unknown[]) =>
      every(ms, () => act(...args)),
    setImmediate: (act: (...args: unknown[]) => void, ...args: unknown[]) => after(0, () => act(...args)),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    Date: VirtualDate,
  })
  Math.random = () => chance.next()
  // An own property hides the method of the prototype.
  Object.defineProperty(performance, 'now', { configurable: true, value: () => world.now - world.startedAt })
  Object.assign(timers, { setTimeout: sleep, setImmediate: (value: unknown) => sleep(0, value) })
  syncBuiltinESMExports()
  return { [Symbol.dispose]: restore }
}

function restore(): void {
  const { random, sleep, breathe, ...globals } = real
  Object.assign(globalThis, globals, { Date: RealDate })
  Math.random = random
  Reflect.deleteProperty(performance, 'now')
  Object.assign(timers, { setTimeout: sleep, setImmediate: breathe })
  syncBuiltinESMExports()
}
