/**
 * Announces due deliveries without a message as soon as their host and project have a free slot. Such deliveries remain
 * after a burst, a postponement, a crash between decision and message, or a crash of the sender.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import type { Unannounced } from '../adapters/announcements.ts'
import type { Outstanding, Waiting } from '../turns/outstanding.ts'

export type Ports = {
  bus: Pick<Bus, 'nc'>
  find: () => Promise<(Unannounced & Waiting)[]>
  /** Returns those of these runs whose first attempt is still expected, or that have an attempt in progress. */
  stillOut: (runIds: number[]) => Promise<number[]>
  announce: (rows: Unannounced[]) => Promise<void>
  outstanding: Outstanding
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Announces due deliveries for which there are slots. */
export type Announcer = {
  /** Announces new deliveries. Those without a slot wait. */
  begin(waiting: readonly Waiting[]): Promise<void>
  /** Resolves after the signal has aborted. */
  ended: Promise<void>
}

const idleMs = 100
const busyMs = 15
const searchEveryMs = 500
/**
 * Limits searches to a fifth of the time of one connection: the pause after a search is at least 100 ms and four times
 * its duration.
 */
const minSearchEveryMs = 100
const restPerSearch = 4

export function announceDue(ports: Ports): Announcer {
  const { bus, find, stillOut, announce, outstanding, signal, report } = ports
  let backlog: (Unannounced & Waiting)[] = []
  let found = 0
  let isRefused = false
  let [searchedAt, tookMs] = [Number.NEGATIVE_INFINITY, 0]
  const marked = new Set<number>()

  return {
    async begin(waiting) {
      const rows = outstanding.admit(waiting.map(one => ({ ...one, announced: 0 })))
      if (rows.length < waiting.length) isRefused = true
      await publish(rows)
    },
    ended: repeat(work, {
      name: 'the announcing of deliveries',
      bus,
      pauseMs: () => (isRefused || backlog.length > 0 ? busyMs : idleMs),
      signal,
      report,
    }),
  }

  async function work(): Promise<void> {
    const sinceMs = performance.now() - searchedAt
    const isShort = isRefused || backlog.length < found / 2
    const soonestMs = Math.max(minSearchEveryMs, restPerSearch * tookMs)
    if (sinceMs > searchEveryMs || (isShort && sinceMs > soonestMs)) await search()
    const rows = outstanding.admit(backlog)
    const taken = new Set(rows.map(({ runId }) => runId))
    backlog = backlog.filter(({ runId }) => !taken.has(runId))
    await publish(rows)
  }

  async function search(): Promise<void> {
    const startedAt = performance.now()
    const outBefore = outstanding.runIds()
    isRefused = false
    await forgetLost(outBefore.filter(runId => marked.has(runId)))
    const due = await find()
    // A delivery that ended during the search may still be among its results.
    const before = new Set(outBefore)
    backlog = due.filter(({ runId }) => !before.has(runId) && !outstanding.has(runId))
    found = backlog.length
    searchedAt = performance.now()
    tookMs = searchedAt - startedAt
    outstanding.begin()
  }

  /** Frees the slots of deliveries that another process has handled, or whose messages are lost. */
  async function forgetLost(runIds: number[]): Promise<void> {
    const out = new Set(await stillOut(runIds))
    for (const runId of runIds) if (!out.has(runId)) outstanding.ended(runId, false)
    for (const runId of marked) if (!outstanding.has(runId)) marked.delete(runId)
  }

  async function publish(rows: Unannounced[]): Promise<void> {
    try {
      await announce(rows)
      for (const { runId } of rows) marked.add(runId)
    } catch (error) {
      for (const { runId } of rows) outstanding.ended(runId, false)
      throw error
    }
  }
}
