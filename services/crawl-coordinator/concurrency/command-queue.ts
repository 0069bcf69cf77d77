/**
 * Queues the commands of one run: each runs alone, in the order of the calls. A command that fails temporarily keeps
 * its position and is retried with growing pauses. Only commands with `goesFirst` then precede it.
 */
import { setTimeout as sleep } from 'node:timers/promises'

type Options = {
  /** Whether the command precedes one that waits for its retry. */
  goesFirst?: boolean
  /** Returns whether the work is retried after this error; never by default. */
  again?: (error: unknown) => boolean
}

type Command = Required<Options> & { work: () => Promise<unknown> } & Pick<
    PromiseWithResolvers<unknown>,
    'resolve' | 'reject'
  >

export type CommandQueue = {
  /**
   * Runs the work after the commands before it, and returns its result. Rejects with its last error, or when the
   * signal has aborted.
   */
  run<T>(work: () => Promise<T>, options?: Options): Promise<T>
}

const firstPauseMs = 50
/** Maximum milliseconds between two tries. */
const maxPauseMs = 2_000

export function commandQueue(signal: AbortSignal): CommandQueue {
  const queue: Command[] = []
  let isRunning = false

  /** Runs a command once. Returns whether it is finished. */
  async function attempt({ work, again, resolve, reject }: Command): Promise<boolean> {
    try {
      signal.throwIfAborted()
      resolve(await work())
    } catch (error) {
      if (!signal.aborted && again(error)) return false
      reject(error)
    }
    return true
  }

  async function runAll(): Promise<void> {
    isRunning = true
    let pauseMs = firstPauseMs
    for (let next = queue[0]; next !== undefined; ) {
      if (await attempt(next)) {
        queue.splice(queue.indexOf(next), 1)
        pauseMs = firstPauseMs
        next = queue[0]
        continue
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      next = queue.find(({ goesFirst }) => goesFirst) ?? queue[0]
    }
    isRunning = false
  }

  return {
    run<T>(work: () => Promise<T>, { goesFirst = false, again = () => false }: Options = {}): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      queue.push({ work, goesFirst, again, resolve: resolve as (value: unknown) => void, reject })
      if (!isRunning) void runAll()
      return promise
    },
  }
}
