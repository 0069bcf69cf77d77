/** Measures the streams: the size of each, and the age of the oldest message of a work queue. */
import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import { consumers, type Lane, streams as named, subjects } from '@tidemark/contracts/subjects'
import { counted, gauge } from '@tidemark/telemetry/metrics'

type Manager = Pick<Bus, 'nc' | 'jsm'>
export type Stream = {
  name: string
  bytes: number
  /** Maximum size in bytes; below 1: none. */
  limit: number
  messages: number
  /** Number of messages that were ever stored. It grows also while the stream drops its oldest messages. */
  appended: number
  oldest: Waiting[]
}
/** Age of a consumer's oldest message in seconds; 0 without a message. */
type Waiting = { consumer: string; seconds: number }

/** The consumer of each work queue. The coordinator's consumers of all shards count as one. */
const consumerOfStream: Record<string, string> = {
  [named.pages]: consumers.extractor,
  [named.outcomes]: 'coordinator',
  [named.deliveries]: consumers.webhook,
}
const lanes: readonly Lane[] = ['http', 'browser']

/** Milliseconds for which gauges that are read together share one measurement. */
const sharedForMs = 1_000

/** Measures until it is disposed. */
export function registerStreamGauges(bus: Manager): Disposable {
  let last: { at: number; found: Promise<Stream[]> } | null = null
  const streams = () => {
    const now = performance.now()
    if (last === null || now - last.at > sharedForMs) last = { at: now, found: measure(bus) }
    return last.found
  }
  const measuring = new DisposableStack()
  measuring.use(
    gauge('tidemark.stream.bytes', async record => {
      for (const { name, bytes, limit } of await streams()) {
        record(bytes, { stream: name, kind: 'held' })
        if (limit > 0) record(limit, { stream: name, kind: 'limit' })
      }
    }),
  )
  measuring.use(
    gauge('tidemark.stream.messages', async record => {
      for (const { name, messages } of await streams()) record(messages, { stream: name })
    }),
  )
  measuring.use(
    counted('tidemark.stream.appended', async record => {
      for (const { name, appended } of await streams()) record(appended, { stream: name })
    }),
  )
  measuring.use(
    gauge('tidemark.queue.oldest.seconds', async record => {
      for (const { name, oldest } of await streams())
        for (const { consumer, seconds } of oldest) record(seconds, { stream: name, consumer })
    }),
  )
  return measuring
}

/** Returns all streams as they are now. */
export async function measure(bus: Manager): Promise<Stream[]> {
  const found: Stream[] = []
  for await (const { config, state } of bus.jsm.streams.list()) {
    const { name, max_bytes: limit } = config
    const { bytes, messages, last_seq: appended } = state
    found.push({ name, bytes, limit, messages, appended, oldest: await oldestIn(bus, name, state) })
  }
  return found
}

type State = { messages: number; first_seq: number; first_ts: string }

async function oldestIn(bus: Manager, stream: string, state: State): Promise<Waiting[]> {
  const first = state.messages === 0 ? null : Date.parse(state.first_ts)
  if (stream === named.fetch) return Promise.all(lanes.map(lane => oldestOf(bus, lane, state)))
  const consumer = consumerOfStream[stream]
  return consumer === undefined ? [] : [{ consumer, seconds: since(first) }]
}

/**
 * Returns the age of the oldest message of a lane. Lanes are measured separately, so that one without a consumer is
 * visible.
 */
async function oldestOf(bus: Manager, lane: Lane, { messages, first_seq }: State): Promise<Waiting> {
  const query = { seq: first_seq, next_by_subj: subjects.fetch(lane) }
  const first = messages === 0 ? null : await storedMessage(bus, named.fetch, query)
  return { consumer: consumers.fetcher(lane), seconds: since(first?.time.getTime() ?? null) }
}

const since = (at: number | null): number => (at === null ? 0 : Math.max(0, (Date.now() - at) / 1_000))
