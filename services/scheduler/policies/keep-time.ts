/** Looks for what is due again and again, and acts upon several at a time, until it is told to stop. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'

type Keeping = {
  /** As in "the firing of monitors". */
  name: string
  bus: Pick<Bus, 'nc'>
  /** Acts upon one that is due; false when none is. */
  next: () => Promise<boolean>
  everyMs: number
  atOnce: number
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Resolves when the signal has aborted and what was under way is recorded. */
export async function keepTime({ name, bus, signal, everyMs, report, ...due }: Keeping): Promise<void> {
  await again(() => actUpon(due, signal), { name, bus, pauseMs: everyMs, signal, report })
}

async function actUpon(
  { next, atOnce }: Pick<Keeping, 'next' | 'atOnce'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(await next())) return
  const lane = async () => {
    while (!signal.aborted && (await next()));
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}
