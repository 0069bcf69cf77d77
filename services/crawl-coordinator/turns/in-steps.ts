/** Long work of a process that has other things to do: it pauses often, so that nobody waits for its end. */
import { setImmediate as breathe } from 'node:timers/promises'

const pauseAfterMs = 10

/** Takes the steps one after another; between two of them others may have their turns. What the last one gives. */
export async function inSteps<T>(steps: Generator<unknown, T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - since < pauseAfterMs) continue
    await breathe()
    since = performance.now()
  }
}

/** Does the work of each item in order, in steps. */
export function paced<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  return inSteps(worked(items, work))
}

function* worked<T>(items: Iterable<T>, work: (item: T) => void): Generator<void, void> {
  for (const item of items) {
    work(item)
    yield
  }
}
