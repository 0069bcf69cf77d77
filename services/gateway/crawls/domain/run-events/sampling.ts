/**
 * Leaves out events for screens, which show a few lines a second. It holds the events of one second of the crawl, and
 * returns them in their order when a later event, the end, or a pause comes, so that the ids of a stream still rise.
 */
import type { EventText } from './run-event-texts.ts'

export class Sampling {
  readonly #max: number
  readonly #isWanted: (event: EventText) => boolean
  readonly #counts = new Map<string, number>()
  #second = Number.NaN
  #held: EventText[] = []

  /**
   * @param max maximum number of pages, and of each kind of decision, in one second
   * @param isWanted other events are left out, but their times show that the crawl continues
   */
  constructor(max: number, isWanted: (event: EventText) => boolean = () => true) {
    this.#max = max
    this.#isWanted = isWanted
  }

  /** Returns the events to send now. After an empty list, which stands for a pause, these are the held events. */
  next(events: readonly EventText[]): EventText[] {
    const sent: EventText[] = events.length === 0 ? this.#release() : []
    for (const event of events) {
      if (event.second !== this.#second) {
        sent.push(...this.#release())
        this.#second = event.second
        this.#counts.clear()
      }
      if (!this.#isWanted(event)) continue
      if (event.type === 'progress') this.#held = this.#held.filter(({ type }) => type !== 'progress')
      else if (event.type !== 'end' && !this.#counted(event.decision ?? event.type)) continue
      this.#held.push(event)
      if (event.type === 'end') sent.push(...this.#release())
    }
    return sent
  }

  /** Counts an event of this kind. Returns whether it may be sent. */
  #counted(kind: string): boolean {
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    return count <= this.#max
  }

  #release(): EventText[] {
    const held = this.#held
    this.#held = []
    return held
  }
}
