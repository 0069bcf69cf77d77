/**
 * A line of those who want something of one run: each has its turn alone, in the order in which they came. What fails
 * for a while keeps its turn and tries again, with pauses that grow; only who ends the run then goes before it.
 */
import { setTimeout as sleep } from 'node:timers/promises'

type How = {
  /** Goes before what has failed and would be tried again. */
  goesFirst?: boolean
  /** Whether the work is to be tried again after this error; never by default. */
  again?: (error: unknown) => boolean
}

type Waiting = Required<How> & { work: () => Promise<unknown> } & Pick<
    PromiseWithResolvers<unknown>,
    'resolve' | 'reject'
  >

export type Turns = {
  /** Rejects with what the work threw at last, or when the signal has aborted. */
  take<T>(work: () => Promise<T>, how?: How): Promise<T>
}

const firstPauseMs = 50
/** What is mended is found within this. */
const longestPauseMs = 2_000

export function turns(signal: AbortSignal): Turns {
  const line: Waiting[] = []
  let isGoing = false

  /** Whether that one is through with. */
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
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
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
