/**
 * Reads a stream from a sequence on, in order and without gaps, in batches of the available messages.
 *
 * After a failure of the connection, the server or the consumer, reading resumes after the last batch that was
 * processed completely.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumerConfig } from '@nats-io/jetstream'
import { type Msg, nanos } from '@nats-io/transport-node'
import type { Bus } from './connection.ts'
import { isClustered } from './leader.ts'
import { connected, persistently, untilLost } from './link.ts'
import { type LastRead, lossOf } from './loss/lost-end.ts'
import { Arrivals, batchMessages, type StreamMessage } from './pulling/arrivals.ts'
import { positionOf } from './pulling/position.ts'
import { Pull } from './pulling/pull.ts'

export type { StreamMessage } from './pulling/arrivals.ts'

/** Reports that the stream has lost messages that were read: it ends before them, or their positions are empty or reused. */
export class StreamWentBackwards extends Error {
  override readonly name = 'StreamWentBackwards'
}

export type ReadOptions = {
  stream: string
  /** One or more subjects, wildcards allowed; everything by default. */
  filter?: string | string[]
  /** The first sequence to read. */
  from: number
  /** The message before `from`, if it was read. Reading throws if it does not exist and was not removed properly. */
  after?: Pick<LastRead, 'readTo' | 'readSubject'> | null
  signal: AbortSignal
  /** Milliseconds that a batch may wait for others after its first message. */
  lingerMs?: number
  /** Minimum milliseconds between the starts of two batches that are not full. A message after a pause does not wait. */
  minIntervalMs?: number
  /** Called with errors that are retried. */
  report?: (error: unknown) => void
  /** Called each time reading begins, at the start or after a break. */
  opened?: () => void
}

const checkMs = 1_000
const connectLimitMs = 30_000
const creationMs = 5_000
/** Maximum milliseconds for a batch. After that the server considers its reader dead. */
const unusedMs = 120_000
/** Maximum bytes of one request: more than the largest message, which the server would otherwise never send. */
const requestBytes = 16 * 1024 ** 2

/**
 * Delivers batches of up to 500 messages or 8 MB, one after the other, until the signal aborts. Throws
 * `StreamWentBackwards`, and the errors of `onBatch`.
 */
export async function readStream(
  bus: Bus,
  options: ReadOptions,
  onBatch: (messages: StreamMessage[]) => Promise<void>,
): Promise<void> {
  const { signal, report = () => {} } = options
  let { from, after } = { after: null, ...options, from: Math.max(1, options.from) }
  for (let failures = 0; !signal.aborted && !bus.nc.isClosed(); ) {
    const consumer = await open(bus, { ...options, from, after }).catch(error => {
      if (error instanceof StreamWentBackwards) throw error
      if (!signal.aborted) report(error)
      return null
    })
    failures = consumer === null ? failures + 1 : 0
    if (consumer !== null) {
      options.opened?.()
      for await (const batch of batches(bus, consumer, { ...options, from })) {
        await onBatch(batch)
        const last = batch.at(-1)
        if (last === undefined) continue
        from = last.sequence + 1
        if (options.after !== undefined) after = { readTo: last.time, readSubject: last.subject }
      }
    }
    const pauseMs = Math.min(50 * 2 ** failures, 2_000)
    if (!signal.aborted) await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** Creates a consumer and returns its name. The server removes it when it is unused. */
async function open(bus: Bus, { stream, filter, from, after, signal }: ReadOptions): Promise<string> {
  await connected(bus.nc, connectLimitMs, signal)
  const last = { sequence: from - 1, readTo: after?.readTo ?? null, readSubject: after?.readSubject ?? null }
  const loss = await lossOf(bus, stream, last)
  if (loss !== null) throw new StreamWentBackwards(loss)
  const wanted: Partial<ConsumerConfig> = {
    ack_policy: 'none',
    deliver_policy: 'by_start_sequence',
    opt_start_seq: from,
    inactive_threshold: nanos(unusedMs),
    mem_storage: true,
    num_replicas: 1,
    ...(typeof filter === 'string' && { filter_subject: filter }),
    ...(Array.isArray(filter) && { filter_subjects: filter }),
  }
  const add = () => bus.jsm.consumers.add(stream, wanted)
  // In a cluster the chosen server may be down; the next try uses another.
  const added = isClustered(bus.nc) ? persistently(bus.nc, creationMs, add) : untilLost(bus.nc, add())
  const { name } = await added
  return name
}

/** Yields the messages of one consumer, until it fails or the signal aborts. */
async function* batches(bus: Bus, consumer: string, options: ReadOptions): AsyncGenerator<StreamMessage[]> {
  const { stream, from, signal, lingerMs = 5, minIntervalMs, report } = options
  const arrivals = new Arrivals()
  let delivered = 0
  const free = () => (arrivals.isFull ? 0 : batchMessages)
  const pull = new Pull(bus.nc, {
    stream,
    consumer,
    capacity: batchMessages,
    free,
    take,
    maxBytes: requestBytes,
  })
  const stop = () => pull.end(null)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop() // while the consumer was created
  const timer = setInterval(() => pull.check(), checkMs)
  const closed = pull.over.then(wrong => {
    arrivals.close()
    return wrong
  })
  try {
    pull.more()
    while ((await arrivals.some(lingerMs, minIntervalMs)) && !signal.aborted) {
      yield arrivals.take()
      pull.more()
    }
    const wrong = await closed
    if (wrong) report?.(wrong)
  } finally {
    stop()
    clearInterval(timer)
    signal.removeEventListener('abort', stop)
    bus.jsm.consumers.delete(stream, consumer).catch(() => {})
  }

  function take(message: Msg): void {
    const { sequence, deliverySequence, storedAt, pending } = positionOf(message.reply ?? '')
    const { subject, data, headers } = message
    if (deliverySequence !== ++delivered) pull.end(new Error(`${stream}: a delivery is missing`))
    // A server of a cluster that has not caught up yet begins at its own end. Messages before `from` are skipped.
    else if (sequence >= from)
      arrivals.push({ sequence, subject, data, headers, time: new Date(storedAt), pending })
  }
}
