/** Forgets idempotency keys that nobody can use any more, once an hour. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Monitors } from '../adapters/monitors.ts'

type Forgetting = {
  bus: Pick<Bus, 'nc'>
  monitors: Pick<Monitors, 'trimKeys'>
  signal: AbortSignal
  report: (error: unknown) => void
}

const everyMs = 3_600_000

/** Resolves when the signal has aborted. */
export async function forgetKeys({ bus, monitors, signal, report }: Forgetting): Promise<void> {
  const name = 'the sweep of keys'
  await again(() => monitors.trimKeys(), { name, bus, isSpare: true, pauseMs: everyMs, signal, report })
}
