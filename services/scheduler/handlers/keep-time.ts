/** Looks for due monitors again and again, and fires several at a time, until it is told to stop. */
import { setTimeout as sleep } from 'node:timers/promises'

type Keeping = {
  /** Acts upon one due tick; false when none is due. */
  fireNext: () => Promise<boolean>
  everyMs: number
  signal: AbortSignal
  report: (error: unknown) => void
}

const atOnce = 4

/** Resolves when the signal has aborted and what was being fired is recorded. Of failures in a row the first is told. */
export async function keepTime({ fireNext, everyMs, signal, report }: Keeping): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      await fireAll(fireNext, signal)
      failures = 0
    } catch (error) {
      if (failures++ === 0) report(error)
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}

async function fireAll(fireNext: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  if (!(await fireNext())) return
  const lane = async () => {
    while (!signal.aborted && (await fireNext()));
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}
