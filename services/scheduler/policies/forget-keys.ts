/** Forgets idempotency keys that nobody can use any more, once an hour. */
import { again } from '@tidemark/bus/again'
import type { Monitors } from '../adapters/monitors.ts'

type Forgetting = {
  monitors: Pick<Monitors, 'trimKeys'>
  signal: AbortSignal
  report: (error: unknown) => void
}

const everyMs = 3_600_000

/** Resolves when the signal has aborted. */
export async function forgetKeys({ monitors, signal, report }: Forgetting): Promise<void> {
  await again(() => monitors.trimKeys(), { pauseMs: everyMs, signal, report })
}
