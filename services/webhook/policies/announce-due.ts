/**
 * Announces due deliveries without a message as soon as their host and project have a free slot. Such deliveries remain
 * after a burst, a postponement, a crash between decision and message, or a crash of the sender.
 */

import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import type { Unannounced } from '../adapters/announcements.ts'
import type { Outstanding, Waiting } from '../concurrency/outstanding.ts'

export type Ports = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & {
  find: () => Promise<(Unannounced & Waiting)[]>
  /** Returns the runs among `runIds` whose first attempt is still expected, or that have an attempt in progress. */
  stillInProgress: (runIds: number[]) => Promise<number[]>
  announce: (rows: Unannounced[]) => Promise<void>
  outstanding: Outstanding
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

/** Announces due deliveries for which there are slots. */
export class Announcer {
  /** Resolves after the signal has aborted. */
  readonly ended: Promise<void>
  readonly #ports: Ports
  #backlog: (Unannounced & Waiting)[] = []
  /** Whether a delivery got no slot since the last search. */
  #isRefused = false
  #search = { at: Number.NEGATIVE_INFINITY, tookMs: 0, backlog: 0 }
  /** Runs whose deliveries this process has announced. */
  readonly #announced = new Set<number>()

  constructor(ports: Ports) {
    this.#ports = ports
    const { bus, signal, report } = ports
    this.ended = repeat(() => this.#work(), {
      name: 'the announcing of deliveries',
      bus,
      pauseMs: () => (this.#isRefused || this.#backlog.length > 0 ? busyMs : idleMs),
      signal,
      report,
    })
  }

  /** Announces new deliveries. Those without a slot wait. */
  async begin(waiting: readonly Waiting[]): Promise<void> {
    const rows = this.#ports.outstanding.admit(waiting.map(one => ({ ...one, announced: 0 })))
    if (rows.length < waiting.length) this.#isRefused = true
    await this.#publish(rows)
  }

  async #work(): Promise<void> {
    const { at, tookMs, backlog: backlogAtSearch } = this.#search
    const sinceMs = performance.now() - at
    const shouldSearchEarly = this.#isRefused || this.#backlog.length < backlogAtSearch / 2
    const soonestMs = Math.max(minSearchEveryMs, restPerSearch * tookMs)
    if (sinceMs > searchEveryMs || (shouldSearchEarly && sinceMs > soonestMs)) await this.#searchDue()
    const rows = this.#ports.outstanding.admit(this.#backlog)
    const taken = new Set(rows.map(({ runId }) => runId))
    this.#backlog = this.#backlog.filter(({ runId }) => !taken.has(runId))
    await this.#publish(rows)
  }

  async #searchDue(): Promise<void> {
    const { find, outstanding } = this.#ports
    const startedAt = performance.now()
    const outBefore = outstanding.runIds()
    this.#isRefused = false
    await this.#forgetLost(outBefore.filter(runId => this.#announced.has(runId)))
    const due = await find()
    // A delivery that ended during the search may still be among its results.
    const before = new Set(outBefore)
    this.#backlog = due.filter(({ runId }) => !before.has(runId) && !outstanding.has(runId))
    const at = performance.now()
    this.#search = { at, tookMs: at - startedAt, backlog: this.#backlog.length }
    outstanding.begin()
  }

  /** Frees the slots of deliveries that another process has handled, or whose messages are lost. */
  async #forgetLost(runIds: number[]): Promise<void> {
    const { stillInProgress, outstanding } = this.#ports
    const inProgress = new Set(await stillInProgress(runIds))
    for (const runId of runIds) if (!inProgress.has(runId)) outstanding.ended(runId, false)
    for (const runId of this.#announced) if (!outstanding.has(runId)) this.#announced.delete(runId)
  }

  async #publish(rows: Unannounced[]): Promise<void> {
    try {
      await this.#ports.announce(rows)
      for (const { runId } of rows) this.#announced.add(runId)
    } catch (error) {
      for (const { runId } of rows) this.#ports.outstanding.ended(runId, false)
      throw error
    }
  }
}
