/**
 * If its disk is full while a work queue is empty, nats-server 2.10 loses the queue's numbers and restarts at 1.
 * Messages that it acknowledges from then on, up to the number that it had reached, can be neither read nor consumed.
 * The publisher detects this by the sequence in the acknowledgement, and makes the queue continue far beyond.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import { streams } from '@tidemark/contracts/subjects'
import type { Bus } from '../connection.ts'
import { onLost } from '../link.ts'
import { perConnection } from '../per-connection.ts'
import { storedMessage } from '../stored.ts'

type Stored = { stream: string; seq: number; duplicate: boolean }

/** Only work queues may be purged. Readers of other streams detect that the stream ends before their position. */
const queues = new Set<string>([streams.fetch, streams.pages, streams.outcomes, streams.deliveries])
/**
 * A repaired queue continues at the next multiple of this number, which no consumer has reached. All publishers that
 * repair the same queue compute the same sequence.
 */
const step = 1e9

/** The highest sequence of each stream since the connection opened: a server that restarts may restart its numbers. */
const sequencesOf = perConnection(nc => {
  const highest = new Map<string, number>()
  onLost(nc, () => highest.clear())
  return highest
})
/** The new id of each lost message, by its old id, under which the server would not store it again. */
const newIdsOf = perConnection(() => new Map<string, string>())

/** Returns the highest known sequence of each stream, for `wasLost` after a publish. */
export const reachedBy = (nc: NatsConnection): ReadonlyMap<string, number> => new Map(sequencesOf(nc))

/** Returns the id to publish under. */
export const nameOf = (nc: NatsConnection, id: string): string => newIdsOf(nc).get(id) ?? id

/** Makes `nameOf` return another id for a message from now on. */
export function rename(nc: NatsConnection, id: string, mark: string | number): void {
  newIdsOf(nc).set(id, `${id} ${mark}`)
}

/** Returns whether the id of a stored message is `id` itself or its replacement by `rename`. */
export const isNamed = (name: string, id: string): boolean => name === id || name.startsWith(`${id} `)

/**
 * Returns whether an acknowledged message is lost and must be published again. The queue is then repaired, and
 * `nameOf` returns a new id. Throws the errors of the bus.
 */
export async function wasLost(
  bus: Bus,
  { stream, seq, duplicate }: Stored,
  reached: ReadonlyMap<string, number>,
  id: string | undefined,
): Promise<boolean> {
  if (duplicate || !queues.has(stream)) return false
  const known = sequencesOf(bus.nc)
  known.set(stream, Math.max(seq, known.get(stream) ?? 0))
  const before = reached.get(stream) ?? 0
  if (seq > before || (await storedMessage(bus, stream, { seq })) !== null) return false
  const beyond = (Math.floor(before / step) + 1) * step
  const { state } = await bus.jsm.streams.info(stream)
  if (state.last_seq < beyond - 1) await bus.jsm.streams.purge(stream, { seq: beyond })
  if (id !== undefined) rename(bus.nc, id, beyond)
  return true
}
