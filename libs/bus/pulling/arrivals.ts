/** Buffers messages that have arrived, and returns them in batches of bounded number and size. */
import type { MsgHdrs } from '@nats-io/transport-node'

export type StreamMessage = {
  sequence: number
  subject: string
  data: Uint8Array
  headers: MsgHdrs | undefined
  /** When the server stored it. */
  time: Date
  /** Number of messages of the same filter that followed it in the stream when it was sent. */
  pending: number
}

export const batchMessages = 500
const batchBytes = 8 * 1024 ** 2

export class Arrivals {
  #messages: StreamMessage[] = []
  #bytes = 0
  #firstAt = 0
  #takenAt = Number.NEGATIVE_INFINITY
  #closed = false
  #wake: (() => void) | null = null

  /** Whether a batch of maximum size has arrived, so that no more messages need to be requested. */
  get isFull(): boolean {
    return this.#messages.length >= batchMessages || this.#bytes >= batchBytes
  }

  push(message: StreamMessage): void {
    if (this.#messages.length === 0) this.#firstAt = performance.now()
    this.#messages.push(message)
    this.#bytes += message.data.length
    if (this.#messages.length === 1 || this.isFull) this.#wake?.()
  }

  /** Ends the arrivals. Messages that have arrived can still be taken. */
  close(): void {
    this.#closed = true
    this.#wake?.()
  }

  /**
   * Waits for a message, for others up to `lingerMs` after it, and until `minIntervalMs` after the batch before. Returns false
   * after `close` if no message is left.
   */
  async some(lingerMs: number, minIntervalMs = 0): Promise<boolean> {
    while (this.#messages.length === 0) {
      if (this.#closed) return false
      await this.#awake()
    }
    const leftMs = Math.max(this.#firstAt + lingerMs, this.#takenAt + minIntervalMs) - performance.now()
    if (leftMs > 0 && !this.isFull && !this.#closed) await this.#awake(leftMs)
    return true
  }

  /** Removes and returns the oldest messages, up to a full batch. */
  take(): StreamMessage[] {
    this.#takenAt = performance.now()
    let count = 0
    for (
      let bytes = 0;
      count < this.#messages.length && count < batchMessages && bytes < batchBytes;
      count++
    ) {
      bytes += this.#messages[count]?.data.length ?? 0
    }
    const batch = this.#messages.splice(0, count)
    for (const { data } of batch) this.#bytes -= data.length
    return batch
  }

  #awake(limitMs?: number): Promise<void> {
    return new Promise(resolve => {
      const timer = limitMs === undefined ? undefined : setTimeout(() => this.#wake?.(), limitMs)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
    })
  }
}
