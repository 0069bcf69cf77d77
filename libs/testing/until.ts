/** Waits for conditions in tests. */
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from './slowness.ts'

const [minPauseMs, maxPauseMs] = [10, 100]

/**
 * Returns the pause before the next check of a condition that has been awaited for `ms`. Checks cost CPU time that
 * the awaited work needs, and a long wait may end a little later.
 */
export const pauseAfter = (ms: number, maxMs = maxPauseMs): number =>
  Math.min(Math.max(ms / 20, minPauseMs), maxMs)

/**
 * Resolves when the condition holds. Rejects if it does not hold within the limit, in milliseconds, which is longer on
 * a slow machine; default: one minute.
 */
export async function until(holds: () => boolean | Promise<boolean>, usualMs = 60_000): Promise<void> {
  const limitMs = patient(usualMs)
  const began = performance.now()
  for (let ms = 0; ms < limitMs; ms = performance.now() - began) {
    if (await holds()) return
    await sleep(pauseAfter(ms))
  }
  throw new Error(`the condition did not hold within ${limitMs / 1000} s: ${holds}`)
}

/** Resolves when a call of the action resolves. Rejects like `until`. */
export const untilResolves = (action: () => Promise<unknown>, usualMs?: number): Promise<void> =>
  until(
    () =>
      action().then(
        () => true,
        () => false,
      ),
    usualMs,
  )
