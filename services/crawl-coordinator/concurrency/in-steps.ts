/** Runs long work in steps with pauses, so that it does not block the event loop. */
import { setImmediate as breathe } from 'node:timers/promises'

const pauseAfterMs = 10

/** Takes the steps one after another, with pauses for other work. Returns the return value of the generator. */
export async function inSteps<T>(steps: Generator<unknown, T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - since < pauseAfterMs) continue
    await breathe()
    since = performance.now()
  }
}

/** Does the work for each item in order, in steps. */
export function paced<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  return inSteps(worked(items, work))
}

function* worked<T>(items: Iterable<T>, work: (item: T) => void): Generator<void, void> {
  for (const item of items) {
    work(item)
    yield
  }
}
