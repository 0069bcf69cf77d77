/**
 * Reads the events of a run once for all its watchers. It buffers a limited number of events and waits for the slowest
 * watcher. If that would delay others, it drops that watcher, which then starts a reader of its own.
 */

import { type EventId, isAfter } from '../domain/run-events/id.ts'
import { type EventText, RunEventTexts } from '../domain/run-events/run-event-texts.ts'
import { readRun, type Sources } from './run-events-source.ts'

/** Maximum characters of buffered events. */
const maxHeld = 1024 ** 2
const maxAtOnce = 64 * 1024
const patienceMs = 1_000

type Watcher = {
  next: number
  after: EventId | null
  isIdle: boolean
  isLeftBehind: boolean
  wake: () => void
}

/**
 * `next` returns the next events; an empty list: none came within the time; null: the end, or the watcher was dropped.
 */
export type Watch = Disposable & {
  next(idleMs: number): Promise<EventText[] | null>
  readonly isLeftBehind: boolean
}

export class Feed {
  readonly #stop = new AbortController()
  readonly #watchers = new Set<Watcher>()
  readonly #texts = new RunEventTexts()
  readonly #onEmpty: () => void
  #held: EventText[] = []
  #characters = 0
  /** Number of events before the first buffered one. */
  #first = 0
  #lastDropped: EventId | null = null
  #closed = false
  #failure: unknown = null
  #end: EventId | null = null
  #moved: () => void = () => {}

  /** Starts the reader. When the last watcher leaves, the reader stops and `onEmpty` is called. */
  constructor(sources: Sources, runId: number, onEmpty: () => void) {
    this.#onEmpty = onEmpty
    readRun(sources, runId, this.#stop.signal, async commit => {
      this.#push(this.#texts.next(commit))
      if (this.#texts.isOver) this.#finish()
      else await this.#makeSpace()
    })
      .catch(error => {
        this.#failure = error
        sources.report(error)
      })
      .finally(() => {
        this.#closed = true
        this.#wakeAll()
      })
  }

  get failure(): unknown {
    return this.#failure
  }

  /** The last event of the run, after it was read. */
  get end(): EventId | null {
    return this.#end
  }

  /** Whether all events after this one are still available here. */
  hasAllAfter(id: EventId | null): boolean {
    return this.#lastDropped === null || (id !== null && !isAfter(this.#lastDropped, id))
  }

  watch(after: EventId | null): Watch {
    const watcher = { next: this.#first, after, isIdle: false, isLeftBehind: false, wake: () => {} }
    this.#watchers.add(watcher)
    return {
      get isLeftBehind() {
        return watcher.isLeftBehind
      },
      next: idleMs => this.#next(watcher, idleMs),
      [Symbol.dispose]: () => this.#leave(watcher),
    }
  }

  async #next(watcher: Watcher, idleMs: number): Promise<EventText[] | null> {
    for (;;) {
      if (watcher.isLeftBehind) return null
      const events = this.#take(watcher)
      if (events.length > 0) return events
      if (this.#closed || !this.#watchers.has(watcher)) return null
      if (!(await this.#awake(watcher, idleMs))) return []
    }
  }

  #take(watcher: Watcher): EventText[] {
    const taken: EventText[] = []
    for (let characters = 0; characters < maxAtOnce; watcher.next++) {
      const event = this.#held[watcher.next - this.#first]
      if (event === undefined) break
      if (!isAfter(event, watcher.after)) continue
      taken.push(event)
      characters += event.size
    }
    this.#moved()
    return taken
  }

  /** Waits for an event. Returns false when none came in time. */
  async #awake(watcher: Watcher, limitMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, limitMs, false)
    watcher.wake = () => resolve(true)
    watcher.isIdle = true
    this.#moved()
    const isWoken = await promise
    clearTimeout(timer)
    watcher.isIdle = false
    return isWoken
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    watcher.wake()
    this.#moved()
    if (this.#watchers.size > 0) return
    this.#stop.abort()
    this.#onEmpty()
  }

  #push(events: readonly EventText[]): void {
    for (const event of events) {
      this.#held.push(event)
      this.#characters += event.size
    }
    this.#wakeAll()
  }

  #finish(): void {
    const last = this.#held.at(-1)
    this.#end = last ? { sequence: last.sequence, index: last.index } : this.#lastDropped
    this.#stop.abort()
  }

  #wakeAll(): void {
    for (const { wake } of this.#watchers) wake()
    this.#moved()
  }

  /** Drops the events that all watchers have read, until there is space for more. */
  async #makeSpace(): Promise<void> {
    while (!this.#dropRead() && !this.#stop.signal.aborted) {
      const isHeldUp = [...this.#watchers].some(({ isIdle }) => isIdle)
      const isMoving = await this.#anyMove(isHeldUp ? patienceMs : null)
      if (!isMoving) this.#leaveBehind()
    }
  }

  /** Drops events that all watchers have read. Returns whether the buffer is within its limit. */
  #dropRead(): boolean {
    const read = this.#slowest() - this.#first
    let count = 0
    while (this.#characters > maxHeld && count < read) {
      const event = this.#held[count++]
      this.#characters -= event?.size ?? 0
      this.#lastDropped = event ?? null
    }
    this.#held.splice(0, count)
    this.#first += count
    return this.#characters <= maxHeld
  }

  #slowest(): number {
    return Math.min(...[...this.#watchers].map(({ next }) => next))
  }

  #leaveBehind(): void {
    const slowest = this.#slowest()
    for (const watcher of this.#watchers) {
      if (watcher.next > slowest || watcher.isIdle) continue
      watcher.isLeftBehind = true
      this.#watchers.delete(watcher)
    }
  }

  async #anyMove(limitMs: number | null): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = limitMs === null ? undefined : setTimeout(resolve, limitMs, false)
    this.#moved = () => resolve(true)
    const isMoving = await promise
    clearTimeout(timer)
    this.#moved = () => {}
    return isMoving
  }
}
