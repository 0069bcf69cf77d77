/**
 * Whenever a delivery is overdue and nobody can know it, it is announced again: after a crash between a decision and
 * its message, after the death of a sender, and when a receiver that had too many at once may have the next ones.
 */
import type { Unannounced } from '../adapters/announcements.ts'
import { again } from './again.ts'

export type Ports = {
  findOverdue: () => Promise<Unannounced[]>
  announce: (rows: Unannounced[]) => Promise<void>
  signal: AbortSignal
  report: (error: unknown) => void
}

const pauseMs = 500

/** Looks until the signal aborts. */
export const announceOverdue = ({ findOverdue, announce, ...until }: Ports): Promise<void> =>
  again(async () => announce(await findOverdue()), { ...until, pauseMs })
