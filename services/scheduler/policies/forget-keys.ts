/** Forgets idempotency keys that nobody can use any more, once an hour. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Monitors } from '../adapters/monitors.ts'

type Forgetting = {
  monitors: Pick<Monitors, 'trimKeys'>
  signal: AbortSignal
  report: (error: unknown) => void
}

const everyMs = 3_600_000

/** Resolves when the signal has aborted. */
export async function forgetKeys({ monitors, signal, report }: Forgetting): Promise<void> {
  while (!signal.aborted) {
    await monitors.trimKeys().catch(report)
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}
