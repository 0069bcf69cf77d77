/** Looks for what is due again and again, and acts upon several at a time, until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises'

type Keeping = {
  /** Acts upon one that is due; false when none is. */
  next: () => Promise<boolean>
  everyMs: number
  atOnce: number
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Resolves when the signal has aborted and what was under way is recorded. Of failures in a row the first is told. */
export async function keepTime({ signal, everyMs, report, ...due }: Keeping): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      await actUpon(due, signal)
      failures = 0
    } catch (error) {
      if (failures++ === 0) report(error)
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
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
