/**
 * After a `kill -9`, nats-server 2.10 may number an emptied work queue from 1 again while its durable consumers
 * remember where they were: everything up to that place is then never delivered. Here that is found and mended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from './connection.ts'
import { isClustered } from './leader.ts'
import { storedMessage } from './stored.ts'

/** An acknowledgement and the removal that follows it are not one step: what is seen once may be about to go. */
const secondLookMs = 300
/** In a cluster the one who tells of the queue may be behind the one who tells of the consumer, until it has caught up. */
const looksInCluster = 15

/**
 * Makes a work queue's consumer anew if it stands beyond messages that nobody has acknowledged. Everything up to
 * the sequence that is returned may then come a second time, as a first delivery. Null where nothing was wrong.
 */
export async function mendLostPlace(bus: Bus, stream: string, consumer: string): Promise<number | null> {
  if (!(await hasLostItsPlace(bus, stream, consumer))) return null
  for (let left = isClustered(bus.nc) ? looksInCluster : 1; left > 0; left--) {
    await sleep(secondLookMs)
    if (!(await hasLostItsPlace(bus, stream, consumer))) return null
  }
  const { config } = await bus.jsm.consumers.info(stream, consumer)
  const { opt_start_seq: _, opt_start_time: __, ...kept } = config
  await bus.jsm.consumers.delete(stream, consumer)
  await bus.jsm.consumers.add(stream, { ...kept, deliver_policy: 'all' })
  return (await bus.jsm.streams.info(stream)).state.last_seq
}

async function hasLostItsPlace(bus: Bus, stream: string, consumer: string): Promise<boolean> {
  const { jsm } = bus
  const { delivered, ack_floor, config } = await jsm.consumers.info(stream, consumer)
  const { state, config: queue } = await jsm.streams.info(stream)
  if (queue.retention !== 'workqueue') return false
  if (delivered.stream_seq > state.last_seq) return true
  if (state.messages === 0 || state.first_seq > ack_floor.stream_seq) return false
  const query = { seq: state.first_seq, next_by_subj: config.filter_subject || '>' }
  const first = await storedMessage(bus, stream, query)
  return first !== null && first.seq <= ack_floor.stream_seq
}
