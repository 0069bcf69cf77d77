/**
 * When its disk is full while a work queue is empty, nats-server 2.10 forgets the queue's numbers and begins at 1 again.
 * What it acknowledges from then on, up to the number that it had reached, nobody can read and no consumer gets. Here
 * whoever publishes finds that by the number that he is told, and has the queue numbered on from far beyond.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import { streams } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { onLost } from './link.ts'
import { storedMessage } from './stored.ts'

type Stored = { stream: string; seq: number; duplicate: boolean }

/** Other streams are a truth of which nothing may be purged; who reads them sees that they end before what he has read. */
const queues = new Set<string>([streams.fetch, streams.pages, streams.outcomes, streams.deliveries])
/** So far that no consumer and nobody else has been there; all who find the same queue come to the same number. */
const step = 1e9

/** The highest number told by each stream since the connection stands: a server that starts anew may count anew. */
const told = new WeakMap<NatsConnection, Map<string, number>>()
/** The name by which a message was published that was lost under its own; the server would not store it under that. */
const renamed = new WeakMap<NatsConnection, Map<string, string>>()

/** What the streams have come to before something is published. */
export const reachedBy = (nc: NatsConnection): ReadonlyMap<string, number> => new Map(toldBy(nc))

/** The name to publish it by. */
export const nameOf = (nc: NatsConnection, id: string): string => renamed.get(nc)?.get(id) ?? id

/** From now on it is published under another name. */
export function rename(nc: NatsConnection, id: string, mark: string | number): void {
  const names = renamed.get(nc) ?? new Map<string, string>()
  renamed.set(nc, names.set(id, `${id} ${mark}`))
}

/** Whether a message that is stored under this name is the one of this id. */
export const isNamed = (name: string, id: string): boolean => name === id || name.startsWith(`${id} `)

/**
 * Whether what was acknowledged is lost, and has to be published again; the queue is then mended, and `nameOf` gives
 * another name for it. Throws what the bus throws.
 */
export async function wasLost(
  bus: Bus,
  { stream, seq, duplicate }: Stored,
  reached: ReadonlyMap<string, number>,
  id: string | undefined,
): Promise<boolean> {
  if (duplicate || !queues.has(stream)) return false
  const known = toldBy(bus.nc)
  known.set(stream, Math.max(seq, known.get(stream) ?? 0))
  const before = reached.get(stream) ?? 0
  if (seq > before || (await storedMessage(bus, stream, { seq })) !== null) return false
  const beyond = (Math.floor(before / step) + 1) * step
  const { state } = await bus.jsm.streams.info(stream)
  if (state.last_seq < beyond - 1) await bus.jsm.streams.purge(stream, { seq: beyond })
  if (id !== undefined) rename(bus.nc, id, beyond)
  return true
}

function toldBy(nc: NatsConnection): Map<string, number> {
  const known = told.get(nc)
  if (known) return known
  const fresh = new Map<string, number>()
  told.set(nc, fresh)
  onLost(nc, () => fresh.clear())
  return fresh
}
