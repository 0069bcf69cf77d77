/**
 * Queues the commands of one run: each runs alone, in the order of the calls. A command that fails temporarily keeps
 * its position and is retried with growing pauses. Only commands with `goesFirst` then precede it.
 */
import { setTimeout as sleep } from 'node:timers/promises'

type How = {
  /** Whether the command precedes one that waits for its retry. */
  goesFirst?: boolean
  /** Returns whether the work is retried after this error; never by default. */
  again?: (error: unknown) => boolean
}

type Waiting = Required<How> & { work: () => Promise<unknown> } & Pick<
    PromiseWithResolvers<unknown>,
    'resolve' | 'reject'
  >

export type Turns = {
  /**
   * Runs the work in its turn, and returns its result. Rejects with its last error, or when the signal has aborted.
   */
  take<T>(work: () => Promise<T>, how?: How): Promise<T>
}

const firstPauseMs = 50
/** Maximum milliseconds between two tries. */
const maxPauseMs = 2_000

export function turns(signal: AbortSignal): Turns {
  const line: Waiting[] = []
  let isGoing = false

  /** Runs a command once. Returns whether it is finished. */
  async function attempt({ work, again, resolve, reject }: Waiting): Promise<boolean> {
    try {
      signal.throwIfAborted()
      resolve(await work())
    } catch (error) {
      if (!signal.aborted && again(error)) return false
      reject(error)
    }
    return true
  }

  async function go(): Promise<void> {
    isGoing = true
    let pauseMs = firstPauseMs
    for (let next = line[0]; next !== undefined; ) {
      if (await attempt(next)) {
        line.splice(line.indexOf(next), 1)
        pauseMs = firstPauseMs
        next = line[0]
        continue
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      next = line.find(({ goesFirst }) => goesFirst) ?? line[0]
    }
    isGoing = false
  }

  return {
    take<T>(work: () => Promise<T>, { goesFirst = false, again = () => false }: How = {}): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      line.push({ work, goesFirst, again, resolve: resolve as (value: unknown) => void, reject })
      if (!isGoing) void go()
      return promise
    },
  }
}
