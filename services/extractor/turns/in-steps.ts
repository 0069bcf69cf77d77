/** Long work on the one thread, in steps, so that heartbeats, acks and other pages get their turns. */
import { setImmediate as breathe } from 'node:timers/promises'

/** Working as long as this without a pause keeps nobody back. */
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

/** For work that holds nobody else up, on a thread of its own. */
export function allSteps<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
