/**
 * Whenever a delivery is due and without a message, it is announced as soon as its host and its project can take one
 * more: what a burst leaves waiting, what was put off, and what a crash between a decision and its message or the
 * death of a sender left behind.
 */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Unannounced } from '../adapters/announcements.ts'
import type { Outstanding, Waiting } from '../turns/outstanding.ts'

export type Ports = {
  bus: Pick<Bus, 'nc'>
  find: () => Promise<(Unannounced & Waiting)[]>
  /** Of these, what was announced and is not over. */
  stillOut: (runIds: number[]) => Promise<number[]>
  announce: (rows: Unannounced[]) => Promise<void>
  outstanding: Outstanding
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Announces what there is room for, of what is due. */
export type Announcer = {
  /** Of what was decided just now. What there is no room for waits for its turn. */
  begin(waiting: readonly Waiting[]): Promise<void>
  /** Resolves after the signal has aborted. */
  ended: Promise<void>
}

const idleMs = 100
const busyMs = 15
const lookMs = 500
/** A search may take a fifth of the time of one connection. */
const minLookMs = 100
const restPerLook = 4

export function announceDue(ports: Ports): Announcer {
  const { bus, find, stillOut, announce, outstanding, signal, report } = ports
  let backlog: (Unannounced & Waiting)[] = []
  let found = 0
  let isRefused = false
  let [lookedAt, tookMs] = [Number.NEGATIVE_INFINITY, 0]
  const marked = new Set<number>()

  return {
    async begin(waiting) {
      const rows = outstanding.admit(waiting.map(one => ({ ...one, announced: 0 })))
      if (rows.length < waiting.length) isRefused = true
      await tell(rows)
    },
    ended: again(work, {
      name: 'the announcing of deliveries',
      bus,
      pauseMs: () => (isRefused || backlog.length > 0 ? busyMs : idleMs),
      signal,
      report,
    }),
  }

  async function work(): Promise<void> {
    const sinceMs = performance.now() - lookedAt
    const isShort = isRefused || backlog.length < found / 2
    if (sinceMs > lookMs || (isShort && sinceMs > Math.max(minLookMs, restPerLook * tookMs))) await look()
    const rows = outstanding.admit(backlog)
    const taken = new Set(rows.map(({ runId }) => runId))
    backlog = backlog.filter(({ runId }) => !taken.has(runId))
    await tell(rows)
  }

  async function look(): Promise<void> {
    const startedAt = performance.now()
    const outBefore = outstanding.runIds()
    isRefused = false
    await forgetLost(outBefore.filter(runId => marked.has(runId)))
    const due = await find()
    // What ended meanwhile was due when the search began.
    const before = new Set(outBefore)
    backlog = due.filter(({ runId }) => !before.has(runId) && !outstanding.has(runId))
    found = backlog.length
    lookedAt = performance.now()
    tookMs = lookedAt - startedAt
    outstanding.begin()
  }

  /** Others may have told them, or their messages are lost. */
  async function forgetLost(runIds: number[]): Promise<void> {
    const out = new Set(await stillOut(runIds))
    for (const runId of runIds) if (!out.has(runId)) outstanding.ended(runId, false)
    for (const runId of marked) if (!outstanding.has(runId)) marked.delete(runId)
  }

  async function tell(rows: Unannounced[]): Promise<void> {
    try {
      await announce(rows)
      for (const { runId } of rows) marked.add(runId)
    } catch (error) {
      for (const { runId } of rows) outstanding.ended(runId, false)
      throw error
    }
  }
}
