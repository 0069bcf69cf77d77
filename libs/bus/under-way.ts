/** The messages that a consumer is working on: kept alive while it does, settled once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Verdict } from './verdict.ts'

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

  /** How long ago the oldest of them was begun, in ms; 0 where there is none. */
  get oldestMs(): number {
    const [oldest] = this.#begunAt.values()
    return oldest === undefined ? 0 : performance.now() - oldest
  }

  /**
   * Adds a delivery, or answers false when an earlier one of the same message is still worked on; its
   * verdict then settles the later one, for the server has forgotten the earlier.
   */
  add(sequence: number, message: Msg): boolean {
    const isNew = !this.#messages.has(sequence)
    this.#messages.set(sequence, message)
    if (isNew) this.#begunAt.set(sequence, performance.now())
    return isNew
  }

  /** Tells the server that all of them are being worked on. */
  keepAlive(): void {
    for (const message of this.#messages.values()) this.#answer(message, '+WPI')
  }

  settle(sequence: number, verdict: Verdict): void {
    const message = this.#messages.get(sequence)
    if (message) this.#answer(message, wordsFor(verdict))
    this.#messages.delete(sequence)
    this.#begunAt.delete(sequence)
    if (this.size === 0) this.#becameIdle()
  }

  /** Resolves when nothing is under way any more, or after the limit. */
  async idle(limitMs: number): Promise<void> {
    if (this.size === 0) return
    const idle = new Promise<void>(resolve => {
      this.#becameIdle = resolve
    })
    await Promise.race([idle, sleep(limitMs, undefined, { ref: false })])
  }

  #answer(message: Msg, words: string): void {
    if (this.#nc.isClosed()) return
    try {
      message.respond(words)
    } catch {
      // The connection is being closed: what is not settled comes again.
    }
  }
}

/** The protocol's words. A reason for the end is not sent: servers differ in whether they take one. */
function wordsFor(verdict: Verdict): string {
  switch (verdict.settle) {
    case 'ack':
      return '+ACK'
    case 'nak':
      return `-NAK ${JSON.stringify({ delay: Math.round(verdict.afterMs * 1e6) })}`
    case 'giveUp':
      return '+TERM'
  }
}
