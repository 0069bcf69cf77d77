/**
 * Schedules limited slots fairly. A free slot goes to the waiting name that holds the fewest, and equal names alternate.
 * Slots are not taken away, so a name whose jobs last long can hold all of them while others wait. After such a wait
 * every name gets at most half of the slots for a while, and others find a free one at once.
 */
import { RenderError } from './render-error.ts'

type Waiting = { since: number; begin: () => void }
type Holder = {
  held: number
  queue: Waiting[]
  /** Time when it last received or released a slot. */
  movedAt: number
}

/** Milliseconds without progress, above which the wait of a name counts as too long. */
const tooLongMs = 5_000
/** Milliseconds for which every name gets at most half of the slots after such a wait: several of the longest jobs. */
const halvedMs = 10 * 60_000

export class FairSlots {
  #free: number
  #waiting = 0
  #halvedUntil = 0
  readonly #slots: number
  readonly #half: number
  readonly #max: number
  readonly #now: () => number
  /** Names with slots or waiting jobs, those that received a slot least recently first. */
  readonly #holders = new Map<string, Holder>()

  /**
   * @param slots number of slots
   * @param max maximum number of waiting jobs; further ones are rejected at once
   * @param now the clock in milliseconds
   */
  constructor(slots: number, max: number, now: () => number = () => performance.now()) {
    this.#free = slots
    this.#slots = slots
    this.#half = Math.ceil(slots / 2)
    this.#max = max
    this.#now = now
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Waits for a slot, and returns a function that releases it and may be called more than once.
   * @throws RenderError `busy` when too many wait; the signal's reason when it aborts first
   */
  async take(name: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const holder = this.#holders.get(name) ?? { held: 0, queue: [], movedAt: 0 }
    if (this.#free > 0 && holder.queue.length === 0 && this.#mayTake(holder)) {
      this.#prolongFor(holder)
      this.#give(name, holder)
    } else await this.#wait(name, holder, signal)
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack(name, holder)
      isHeld = false
    }
  }

  async #wait(name: string, holder: Holder, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#max) throw new RenderError('busy', { because: `${this.#max} wait already` })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting--
      this.#halveAfter(holder, one)
      holder.queue.splice(holder.queue.indexOf(one), 1)
      this.#forgetIfIdle(name, holder)
      reject(signal.reason)
    }
    const one: Waiting = {
      since: this.#now(),
      begin() {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    this.#holders.set(name, holder)
    holder.queue.push(one)
    this.#waiting++
    signal.addEventListener('abort', leave, { once: true })
    this.#admit()
    await promise
  }

  #giveBack(name: string, holder: Holder): void {
    this.#free++
    holder.held--
    holder.movedAt = this.#now()
    this.#admit()
    this.#forgetIfIdle(name, holder)
  }

  #admit(): void {
    for (let next = this.#poorest(); next !== null; next = this.#poorest()) {
      const [name, holder] = next
      const one = holder.queue.shift()
      if (one === undefined) return
      this.#waiting--
      this.#halveAfter(holder, one)
      this.#give(name, holder)
      one.begin()
    }
  }

  /** Returns the waiting name that is next; null: no name may take a slot. */
  #poorest(): [string, Holder] | null {
    if (this.#free === 0) return null
    let found: [string, Holder] | null = null
    for (const [name, holder] of this.#holders)
      if (holder.queue.length > 0 && this.#mayTake(holder) && (found === null || holder.held < found[1].held))
        found = [name, holder]
    return found
  }

  #mayTake({ held }: Holder): boolean {
    return held < (this.#now() < this.#halvedUntil ? this.#half : this.#slots)
  }

  /** Halves the slots of every name if others held more than half while this one waited too long. */
  #halveAfter({ held, movedAt }: Holder, { since }: Waiting): void {
    const now = this.#now()
    if (held < this.#half && now - Math.max(since, movedAt) > tooLongMs) this.#halvedUntil = now + halvedMs
  }

  /**
   * Extends the halving if this name would wait too long without it, because another name with long jobs already waits
   * for more than half of the slots.
   */
  #prolongFor(holder: Holder): void {
    const now = this.#now()
    if (now >= this.#halvedUntil) return
    for (const other of this.#holders.values())
      if (other !== holder && this.#isHeldBack(other) && now - other.movedAt > tooLongMs)
        this.#halvedUntil = now + halvedMs
  }

  #isHeldBack({ held, queue }: Holder): boolean {
    return queue.length > 0 && held >= this.#half
  }

  #give(name: string, holder: Holder): void {
    this.#free--
    holder.held++
    holder.movedAt = this.#now()
    this.#holders.delete(name)
    this.#holders.set(name, holder)
  }

  #forgetIfIdle(name: string, { held, queue }: Holder): void {
    if (held === 0 && queue.length === 0) this.#holders.delete(name)
  }
}
