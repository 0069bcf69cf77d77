/** Long work of a process that has other things to do: it pauses often, so that nobody waits for its end. */
import { setImmediate as breathe } from 'node:timers/promises'

const pauseAfterMs = 10

/** Does the work of each item in order; between two of them others may have their turns. */
export async function paced<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let since = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - since < pauseAfterMs) continue
    await breathe()
    since = performance.now()
  }
}

/** Lets one after another do what takes much memory. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
}
