/** Tracks the messages that a consumer is processing, keeps them alive meanwhile, and settles each once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Verdict } from '../verdict.ts'

export class UnderWay {
  readonly #nc: NatsConnection
  readonly #messages = new Map<number, Msg>()
  readonly #begunAt = new Map<number, number>()
  #becameIdle = () => {}

  constructor(nc: NatsConnection) {
    this.#nc = nc
  }

  get size(): number {
    return this.#messages.size
  }

  /** Milliseconds since the oldest message arrived; 0 without messages. */
  get oldestMs(): number {
    const [oldest] = this.#begunAt.values()
    return oldest === undefined ? 0 : performance.now() - oldest
  }

  /**
   * Adds a delivery. Returns false if an earlier one of the same message is still in progress; its verdict then
   * settles the later one, because the server has dropped the earlier.
   */
  add(sequence: number, message: Msg): boolean {
    const isNew = !this.#messages.has(sequence)
    this.#messages.set(sequence, message)
    if (isNew) this.#begunAt.set(sequence, performance.now())
    return isNew
  }

  /** Reports all of them to the server as in progress. */
  keepAlive(): void {
    for (const message of this.#messages.values()) this.#respond(message, '+WPI')
  }

  settle(sequence: number, verdict: Verdict): void {
    const message = this.#messages.get(sequence)
    if (message) this.#respond(message, acknowledgementOf(verdict))
    this.#messages.delete(sequence)
    this.#begunAt.delete(sequence)
    if (this.size === 0) this.#becameIdle()
  }

  /** Resolves when nothing is in progress, or after the limit. */
  async idle(limitMs: number): Promise<void> {
    if (this.size === 0) return
    const idle = new Promise<void>(resolve => {
      this.#becameIdle = resolve
    })
    await Promise.race([idle, sleep(limitMs, undefined, { ref: false })])
  }

  #respond(message: Msg, payload: string): void {
    if (this.#nc.isClosed()) return
    try {
      message.respond(payload)
    } catch {
      // The connection is closing: unsettled messages are redelivered.
    }
  }
}

/** Returns the acknowledgement of a verdict. The reason of a termination is not sent: not all servers accept one. */
function acknowledgementOf(verdict: Verdict): string {
  switch (verdict.settle) {
    case 'ack':
      return '+ACK'
    case 'nak':
      return `-NAK ${JSON.stringify({ delay: Math.round(verdict.afterMs * 1e6) })}`
    case 'deadLetter':
      return '+TERM'
  }
}
