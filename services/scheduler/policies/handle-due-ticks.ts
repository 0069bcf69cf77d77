/** Polls for due ticks and handles several at a time, until the signal aborts. */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'

type DueTicks = {
  /** The name in logs, such as "the firing of monitors". */
  name: string
  bus: Pick<Bus, 'nc'>
  /** Handles one due tick. Returns false when none is due. */
  next: () => Promise<boolean>
  everyMs: number
  atOnce: number
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Polls until the signal aborts. Resolves when the ticks in progress are recorded. */
export async function handleDueTicks({
  name,
  bus,
  signal,
  everyMs,
  report,
  ...due
}: DueTicks): Promise<void> {
  await repeat(() => handleDue(due, signal), { name, bus, pauseMs: everyMs, signal, report })
}

async function handleDue(
  { next, atOnce }: Pick<DueTicks, 'next' | 'atOnce'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(await next())) return
  const lane = async () => {
    while (!signal.aborted && (await next()));
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}
