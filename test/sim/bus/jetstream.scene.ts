/**
 * JetStream in memory, as far as the services use it: sequences, the window of message ids, the expected last sequence
 * of a subject, work queues, and pull consumers with acknowledgements. `jetstream.test.ts` compares it with a server.
 */
import { JetStreamApiError } from '@nats-io/jetstream'
import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { Consumer, type ConsumerSpec, type Deliver } from './consumer.ts'
import { matches } from './subject.ts'

export type Message = { seq: number; subject: string; data: Uint8Array; headers: MsgHdrs; time: number }

/** The clock and the timers of the server. */
export type Timing = { now: () => number; after: (ms: number, act: () => void) => void }

export type StreamSpec = {
  name: string
  subjects: readonly string[]
  retention: 'limits' | 'workqueue'
  /** Milliseconds. */
  duplicateMs: number
}

export type Publication = {
  id?: string | undefined
  expectLast?: number | undefined
  headers?: MsgHdrs | undefined
}
export type Acknowledgement = { stream: string; seq: number; duplicate: boolean }
export type Query = { seq: number; next_by_subj?: string } | { last_by_subj: string }

/** Milliseconds for which an acknowledgement is not durable: a server that is killed within them forgets it. */
const undurableMs = 1_000

export class Stream {
  readonly spec: StreamSpec
  readonly messages = new Map<number, Message>()
  readonly consumers = new Map<string, Consumer>()
  /** Whether new messages are refused, as by a full stream. */
  isFull = false
  last = 0
  readonly #timing: Timing
  readonly #stored: (message: Message) => void
  readonly #lastOf = new Map<string, number>()
  readonly #ids = new Map<string, { seq: number; at: number }>()
  /** Messages that were recently removed because they were acknowledged. */
  #removed: { message: Message; at: number; consumer: Consumer; attempts: number }[] = []

  /** @param stored called with each new message, before it is delivered */
  constructor(spec: StreamSpec, timing: Timing, stored: (message: Message) => void) {
    this.spec = spec
    this.#timing = timing
    this.#stored = stored
  }

  get first(): number {
    for (const seq of this.messages.keys()) return seq
    return this.last + 1
  }

  publish(subject: string, data: Uint8Array, { id, expectLast, headers }: Publication): Acknowledgement {
    const { name: stream, duplicateMs } = this.spec
    const now = this.#timing.now()
    const known = id === undefined ? undefined : this.#ids.get(id)
    if (known !== undefined && now - known.at < duplicateMs)
      return { stream, seq: known.seq, duplicate: true }
    const last = this.lastOf(subject)
    if (expectLast !== undefined && expectLast !== last) {
      const description = `wrong last sequence: ${last}`
      throw new JetStreamApiError({ code: 400, err_code: 10_071, description })
    }
    if (this.isFull)
      throw new JetStreamApiError({ code: 503, err_code: 10_077, description: 'maximum bytes exceeded' })
    const seq = ++this.last
    const own = headers ?? emptyHeaders()
    if (id !== undefined) own.set('Nats-Msg-Id', id)
    const message = { seq, subject, data, headers: own, time: now }
    this.messages.set(seq, message)
    this.#lastOf.set(subject, seq)
    if (id !== undefined) this.#ids.set(id, { seq, at: now })
    this.#stored(message)
    for (const consumer of this.consumers.values()) consumer.deliver()
    return { stream, seq, duplicate: false }
  }

  /** The sequence of the last message of a subject; 0: it has none. */
  lastOf(subject: string): number {
    const known = this.#lastOf.get(subject) ?? 0
    if (known === 0 || this.messages.has(known)) return known
    const left = [...this.messages.values()].findLast(message => message.subject === subject)?.seq ?? 0
    this.#lastOf.set(subject, left)
    return left
  }

  get(query: Query): Message | null {
    if ('last_by_subj' in query) {
      const pattern = query.last_by_subj
      if (!/[*>]/.test(pattern)) return this.messages.get(this.lastOf(pattern)) ?? null
      return [...this.messages.values()].findLast(({ subject }) => matches(pattern, subject)) ?? null
    }
    const { seq, next_by_subj: pattern } = query
    if (pattern === undefined) return this.messages.get(seq) ?? null
    for (const message of this.messages.values())
      if (message.seq >= seq && matches(pattern, message.subject)) return message
    return null
  }

  /** Removes messages of these subjects: those before `seq`, or all except the last `keep`. */
  purge({ filter = '>', seq, keep = 0 }: { filter?: string; seq?: number; keep?: number }): number {
    const all = [...this.messages.values()].filter(({ subject }) => matches(filter, subject))
    const removed =
      seq === undefined ? all.slice(0, all.length - keep) : all.filter(message => message.seq < seq)
    for (const message of removed) this.messages.delete(message.seq)
    for (const consumer of this.consumers.values()) {
      for (const { seq } of removed) consumer.forget(seq)
      consumer.dropRedeliveries()
    }
    if (seq !== undefined && filter === '>' && this.last < seq - 1) this.last = seq - 1
    return removed.length
  }

  addConsumer(spec: ConsumerSpec, deliver: Deliver): Consumer {
    const known = this.consumers.get(spec.name)
    if (known !== undefined) return known
    const settled = (message: Message, attempts: number) => this.#settled(consumer, message, attempts)
    const consumer: Consumer = new Consumer(spec, { stream: this, timing: this.#timing, deliver, settled })
    this.consumers.set(spec.name, consumer)
    return consumer
  }

  /** Forgets acknowledgements of the last second, as a server that is killed. Their messages are delivered again. */
  forgetAcknowledgements(): number {
    const since = this.#timing.now() - undurableMs
    const back = this.#removed.filter(({ at }) => at >= since)
    this.#removed = []
    for (const { message } of back) this.messages.set(message.seq, message)
    const inOrder = [...this.messages].sort(([a], [b]) => a - b)
    this.messages.clear()
    for (const [seq, message] of inOrder) this.messages.set(seq, message)
    for (const { message, consumer, attempts } of back) consumer.restore(message.seq, attempts)
    return back.length
  }

  #settled(consumer: Consumer, message: Message, attempts: number): void {
    if (this.spec.retention !== 'workqueue') return
    this.messages.delete(message.seq)
    const at = this.#timing.now()
    while (this.#removed[0] && this.#removed[0].at < at - undurableMs) this.#removed.shift()
    this.#removed.push({ message, at, consumer, attempts })
  }
}

export class JetStream {
  readonly streams = new Map<string, Stream>()

  constructor(
    specs: readonly StreamSpec[],
    timing: Timing,
    stored: (stream: string, message: Message) => void = () => {},
  ) {
    for (const spec of specs)
      this.streams.set(spec.name, new Stream(spec, timing, message => stored(spec.name, message)))
  }

  stream(name: string): Stream {
    const stream = this.streams.get(name)
    if (stream !== undefined) return stream
    throw new JetStreamApiError({ code: 404, err_code: 10_059, description: 'stream not found' })
  }

  /** The stream that stores a subject. */
  streamOf(subject: string): Stream {
    for (const stream of this.streams.values())
      if (stream.spec.subjects.some(pattern => matches(pattern, subject))) return stream
    throw new JetStreamApiError({ code: 404, err_code: 10_059, description: `no stream has ${subject}` })
  }
}
