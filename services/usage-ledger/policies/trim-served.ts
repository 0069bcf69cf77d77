/**
 * Keeps SERVED small: deletes billed messages that are older than a day, and all billed ones while it is half full,
 * because requests with a cost are refused when it is full.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'

type Ports = {
  bus: Pick<Bus, 'nc'>
  /** The sequence of SERVED up to which everything is billed. */
  readBilled: () => Promise<number>
  /** The used part of SERVED, from 0 to 1. */
  readFill: () => Promise<number>
  shorten: (billed: number, before: number) => Promise<void>
  now: () => number
  signal: AbortSignal
  report: (error: unknown) => void
}

const keptMs = 24 * 3_600_000
const everyMs = 60_000
const maxFill = 0.5

/** Deletes at once and then every minute, until the signal aborts. */
export async function trimServed(ports: Ports): Promise<void> {
  const { bus, readBilled, readFill, shorten, now, ...signals } = ports
  const sweep = async () => {
    const isFilling = (await readFill()) > maxFill
    await shorten(await readBilled(), isFilling ? now() : now() - keptMs)
  }
  await repeat(sweep, { name: 'the sweep of SERVED', bus, isSpare: true, pauseMs: everyMs, ...signals })
}
