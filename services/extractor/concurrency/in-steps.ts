/** Runs long work on the main thread in steps, so that heartbeats, acks and other pages are served in between. */
import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds without a pause, which delay no other work noticeably. */
const pauseAfterMs = 10

export async function inSteps<Result>(steps: Iterator<void, Result>): Promise<Result> {
  let since = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - since < pauseAfterMs) continue
    await breathe()
    since = performance.now()
  }
}

/** Runs all steps without a pause, on a separate thread, where they block no other work. */
export function allSteps<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
