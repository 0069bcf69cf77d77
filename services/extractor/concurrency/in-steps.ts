/** Long work on the one thread in steps, so that heartbeats, acks and other pages are served in between. */
import { setImmediate as breathe } from 'node:timers/promises'

/** Working this long without a pause delays no other work noticeably. */
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

/** For work on a separate thread, which blocks no other work. */
export function allSteps<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
