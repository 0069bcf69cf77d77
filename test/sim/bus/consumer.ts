/**
 * A pull consumer in memory. It delivers to all requests in turn, redelivers messages that are not settled within the
 * ack wait, and withholds new messages while too many are pending.
 */
import type { Message, Stream, Timing } from './jetstream.scene.ts'
import { matches } from './subject.ts'

export type ConsumerSpec = {
  name: string
  filters: readonly string[]
  /** Whether messages are acknowledged one by one. Otherwise each is delivered once. */
  acks: boolean
  ackWaitMs: number
  maxAckPending: number
  /** The first sequence to deliver. */
  from: number
}

export type Delivered = { message: Message; attempt: number; delivery: number; pending: number }
/** Sends to a request's inbox. Returns false if nothing listens there. */
export type Deliver = (consumer: Consumer, inbox: string, sent: Delivered) => boolean

type Pull = { inbox: string; left: number }
type Pending = { attempts: number; deadline: number }
type Ports = {
  stream: Stream
  timing: Timing
  deliver: Deliver
  settled: (message: Message, attempts: number) => void
}

export class Consumer {
  readonly spec: ConsumerSpec
  /** Delivered messages that are not settled, by sequence. */
  readonly pending = new Map<number, Pending>()
  /** The sequence of the last delivery. */
  deliveries = 0
  #next: number
  /** The position of the search for new messages: each matching message before this sequence has been delivered. */
  #searchedTo: number
  readonly #ports: Ports
  readonly #pulls: Pull[] = []
  /** Sequences to deliver again, with the number of their deliveries. */
  #again: number[] = []

  constructor(spec: ConsumerSpec, ports: Ports) {
    this.spec = spec
    this.#ports = ports
    this.#next = spec.from
    this.#searchedTo = spec.from
  }

  /** The highest sequence that was delivered. */
  get reached(): number {
    return this.#next - 1
  }

  /** Every message up to here is settled. */
  get floor(): number {
    return this.pending.size === 0 ? this.reached : Math.min(...this.pending.keys()) - 1
  }

  /**
   * Adds a request for messages. The returned function ends the request, and returns the number of messages that it
   * still wanted.
   */
  pull(inbox: string, batch: number): () => number {
    const pull = { inbox, left: batch }
    this.#pulls.push(pull)
    this.deliver()
    return () => {
      const at = this.#pulls.indexOf(pull)
      if (at < 0) return 0
      this.#pulls.splice(at, 1)
      return pull.left
    }
  }

  ack(seq: number): void {
    const pending = this.pending.get(seq)
    if (pending === undefined) return
    const message = this.#ports.stream.messages.get(seq)
    this.forget(seq)
    if (message !== undefined) this.#ports.settled(message, pending.attempts)
    this.deliver()
  }

  nak(seq: number, delayMs: number): void {
    const pending = this.pending.get(seq)
    if (pending === undefined) return
    if (delayMs <= 0) {
      this.#redeliver(seq)
      return
    }
    pending.deadline = this.#ports.timing.now() + delayMs
    this.#watch(seq, delayMs)
  }

  /** Extends the time until the message is redelivered. */
  inProgress(seq: number): void {
    const pending = this.pending.get(seq)
    if (pending !== undefined) pending.deadline = this.#ports.timing.now() + this.spec.ackWaitMs
  }

  /** Drops a message that was removed. */
  forget(seq: number): void {
    this.pending.delete(seq)
    this.#again = this.#again.filter(other => other !== seq)
  }

  /** Drops redeliveries that are due, as a server does at any purge. They come again after the ack wait. */
  dropRedeliveries(): void {
    this.#again = []
  }

  /** Makes a message pending again after its acknowledgement was lost, and delivers the message at once. */
  restore(seq: number, attempts: number): void {
    this.pending.set(seq, { attempts, deadline: 0 })
    this.#redeliver(seq)
  }

  deliver(): void {
    for (let pull = this.#pulls[0]; pull !== undefined; pull = this.#pulls[0]) {
      const seq = this.#again[0] ?? this.#nextNew()
      const message = seq === null ? undefined : this.#ports.stream.messages.get(seq)
      if (seq === null) return
      if (message === undefined) {
        this.forget(seq)
        continue
      }
      const isAgain = this.#again[0] === seq
      const attempts = (this.pending.get(seq)?.attempts ?? 0) + 1
      const sent = { message, attempt: attempts, delivery: this.deliveries + 1, pending: this.#left(seq) }
      if (!this.#ports.deliver(this, pull.inbox, sent)) {
        this.#pulls.shift()
        continue
      }
      if (isAgain) this.#again.shift()
      else this.#next = seq + 1
      this.deliveries++
      if (this.spec.acks) {
        this.pending.set(seq, { attempts, deadline: this.#ports.timing.now() + this.spec.ackWaitMs })
        this.#watch(seq, this.spec.ackWaitMs)
      }
      this.#pulls.shift()
      if (--pull.left > 0) this.#pulls.push(pull)
    }
  }

  #nextNew(): number | null {
    if (this.spec.acks && this.pending.size >= this.spec.maxAckPending) return null
    const { stream } = this.#ports
    for (let seq = Math.max(this.#searchedTo, this.#next, stream.first); seq <= stream.last; seq++) {
      this.#searchedTo = seq
      const message = stream.messages.get(seq)
      if (message !== undefined && this.#wants(message)) return seq
    }
    return null
  }

  /** Returns the number of messages after this one that are still to be delivered. */
  #left(after: number): number {
    const { messages } = this.#ports.stream
    if (this.spec.acks) return 0
    let left = 0
    for (let seq = after + 1; seq <= this.#ports.stream.last; seq++) {
      const message = messages.get(seq)
      if (message !== undefined && this.#wants(message)) left++
    }
    return left
  }

  #wants({ subject }: Message): boolean {
    return this.spec.filters.some(filter => matches(filter, subject))
  }

  #redeliver(seq: number): void {
    if (!this.#again.includes(seq)) this.#again.push(seq)
    this.deliver()
  }

  #watch(seq: number, ms: number): void {
    const { timing } = this.#ports
    timing.after(ms, () => {
      const pending = this.pending.get(seq)
      if (pending === undefined || this.#again.includes(seq)) return
      const left = pending.deadline - timing.now()
      if (left > 0) this.#watch(seq, left)
      else this.#redeliver(seq)
    })
  }
}
