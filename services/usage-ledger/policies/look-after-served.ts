/** Keeps SERVED small: once an hour it deletes billed messages that are older than a day. */
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

/** Deletes at once and then every hour, until the signal aborts. */
export async function lookAfterServed({ bus, readBilled, shorten, now, ...signals }: Ports): Promise<void> {
  const sweep = async () => shorten(await readBilled(), now() - keptMs)
  await again(sweep, { name: 'the sweep of SERVED', bus, isSpare: true, pauseMs: everyMs, ...signals })
}
