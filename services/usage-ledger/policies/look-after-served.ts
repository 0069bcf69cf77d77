/** Keeps SERVED from filling up: every hour, what was billed and is older than a day goes. */
import { again } from '@tidemark/bus/again'

type Ports = {
  /** The sequence of SERVED up to which everything is billed. */
  readBilled: () => Promise<number>
  shorten: (billed: number, before: number) => Promise<void>
  now: () => number
  signal: AbortSignal
  report: (error: unknown) => void
}

const keptMs = 24 * 3_600_000
const everyMs = 3_600_000

/** At once, and on until the signal aborts. */
export async function lookAfterServed({ readBilled, shorten, now, signal, report }: Ports): Promise<void> {
  const look = async () => shorten(await readBilled(), now() - keptMs)
  await again(look, { pauseMs: everyMs, signal, report })
}
