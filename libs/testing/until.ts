/** Waiting for what comes about by itself, as tests do. */
import { setTimeout as sleep } from 'node:timers/promises'

const [minPauseMs, maxPauseMs] = [10, 100]

/**
 * How long to wait before the next look at what has not come about for `ms`: looks cost processor time that what is
 * waited for needs, and what took long already may be noticed a little later.
 */
export const pauseAfter = (ms: number, maxMs = maxPauseMs): number =>
  Math.min(Math.max(ms / 20, minPauseMs), maxMs)

/** Resolves when it holds; rejects when it does not within the limit, in milliseconds: a minute unless told. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const began = performance.now()
  for (let ms = 0; ms < limitMs; ms = performance.now() - began) {
    if (await holds()) return
    await sleep(pauseAfter(ms))
  }
  throw new Error(`it did not come about within ${limitMs / 1000} s: ${holds}`)
}
