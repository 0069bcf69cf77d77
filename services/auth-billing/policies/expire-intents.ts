/**
 * Ends intents whose time is over, which frees their names. Deletes unpaid intents 30 days later: the personal data of a
 * signup is not kept longer than a late payment may arrive.
 */

import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import type { Attempts } from '../adapters/attempts.ts'
import type { Intents } from '../adapters/intents.ts'

export type Ports = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & {
  intents: Pick<Intents, 'expireOne' | 'forget'>
  attempts: Pick<Attempts, 'forget'>
  publish: (outboxId: number) => void
  now: () => number
}

const pauseMs = 60_000
const keptMs = 30 * 86_400_000

/** Sweeps once a minute until the signal aborts. */
export async function expireIntents({ bus, signal, report, ...ports }: Ports): Promise<void> {
  await repeat(() => sweep(ports, signal), {
    ...{ name: 'the end of intents', bus, isSpare: true },
    ...{ pauseMs, signal, report },
  })
}

async function sweep(
  { intents, attempts, publish, now }: Omit<Ports, 'bus' | 'signal' | 'report'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const outboxId = await intents.expireOne(new Date(now()).toISOString())
    if (outboxId === null) break
    publish(outboxId)
  }
  await intents.forget(new Date(now() - keptMs).toISOString())
  await attempts.forget(now())
}
