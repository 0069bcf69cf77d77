/**
 * After a `kill -9`, nats-server 2.10 may restart the numbers of an emptied work queue at 1 while its durable
 * consumers keep their position. Messages up to that position are then never delivered. `repairLostPosition` detects and
 * repairs this.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '../connection.ts'
import { isClustered } from '../leader.ts'
import { storedMessage } from '../stored.ts'

/**
 * Milliseconds before the next check. An acknowledgement and the removal of its message are not atomic, so a single
 * check may find a message that is about to disappear.
 */
const secondCheckMs = 300
/** Checks in a cluster, where the server that reports the queue may be behind the one that reports the consumer. */
const checksInCluster = 15

/**
 * Recreates a work queue's consumer if its position is beyond messages that were never acknowledged. Messages up to
 * the returned sequence may then be delivered a second time, as first deliveries. Returns null if nothing was wrong.
 */
export async function repairLostPosition(bus: Bus, stream: string, consumer: string): Promise<number | null> {
  if (!(await hasLostPosition(bus, stream, consumer))) return null
  for (let left = isClustered(bus.nc) ? checksInCluster : 1; left > 0; left--) {
    await sleep(secondCheckMs)
    if (!(await hasLostPosition(bus, stream, consumer))) return null
  }
  const { config } = await bus.jsm.consumers.info(stream, consumer)
  const { opt_start_seq: _, opt_start_time: __, ...kept } = config
  await bus.jsm.consumers.delete(stream, consumer)
  await bus.jsm.consumers.add(stream, { ...kept, deliver_policy: 'all' })
  return (await bus.jsm.streams.info(stream)).state.last_seq
}

async function hasLostPosition(bus: Bus, stream: string, consumer: string): Promise<boolean> {
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
