/**
 * Schedules limited slots fairly. Each name has its own queue, and the names alternate: a name with a thousand jobs
 * delays another's first job by one job.
 */
import { RenderError } from './render-error.ts'

type Waiting = { begin: () => void }

export class Turns {
  #free: number
  #waiting = 0
  readonly #max: number
  /** Names with waiting jobs; the first is next. */
  readonly #queues = new Map<string, Waiting[]>()

  /**
   * @param slots number of slots
   * @param max maximum number of waiting jobs; further ones are rejected at once
   */
  constructor(slots: number, max: number) {
    this.#free = slots
    this.#max = max
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Waits for a slot, and returns a function that releases it and may be called more than once.
   * @throws RenderError `busy` when too many wait; the signal's reason when it aborts first
   */
  async take(who: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(who, signal)
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack()
      isHeld = false
    }
  }

  async #wait(who: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#max) throw new RenderError('busy', { because: `${this.#max} wait already` })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#queues.get(who) ?? []
    const leave = () => {
      this.#waiting--
      queue.splice(queue.indexOf(one), 1)
      if (queue.length === 0) this.#queues.delete(who)
      reject(signal.reason)
    }
    const one: Waiting = {
      begin() {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    this.#queues.set(who, queue)
    queue.push(one)
    this.#waiting++
    signal.addEventListener('abort', leave, { once: true })
    await promise
  }

  #giveBack(): void {
    const [next] = this.#queues
    if (!next) {
      this.#free++
      return
    }
    const [who, queue] = next
    const one = queue.shift()
    this.#waiting--
    this.#queues.delete(who)
    if (queue.length > 0) this.#queues.set(who, queue)
    one?.begin()
  }
}
