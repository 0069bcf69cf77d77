/** Keeps SERVED from filling up: every hour, what was billed and is older than a day goes. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'

type Ports = {
  bus: Pick<Bus, 'nc'>
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
export async function lookAfterServed({ bus, readBilled, shorten, now, ...until }: Ports): Promise<void> {
  const look = async () => shorten(await readBilled(), now() - keptMs)
  await again(look, { name: 'the sweep of SERVED', bus, isSpare: true, pauseMs: everyMs, ...until })
}
