/**
 * In a cluster nats-server 2.10 notes the name of a message when it puts it to the vote, and answers the next one of
 * that name as a duplicate of sequence 0 until the vote is over. Where the vote never ends, as with a leader that lost
 * the others and comes back, nothing is stored and every repeat is acknowledged. So such an answer counts as none.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { Bus } from './connection.ts'

/** A server has heard of this message and cannot say that it is stored. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/** For so long a vote may wait for servers that come back; with a leader there it takes less than a second. */
const voteMs = 10_000
const ledVoteMs = 1_000
/** Of names that nobody tries again. */
const mostKept = 1_000

type Doubt = { since: number; ledSince: number | null }

const doubts = new WeakMap<NatsConnection, Map<string, Doubt>>()

/** Whether an acknowledgement says no more than that the vote is not over. */
export const isUndecided = ({ seq, duplicate }: { seq: number; duplicate: boolean }): boolean =>
  duplicate && seq === 0

/**
 * Whether nothing will come of the vote any more, after it was answered so again: it has lasted for too long, and for a
 * while of that the stream had a leader. The message has then to go under another name.
 */
export async function isVoteOver({ nc, jsm }: Bus, stream: string, id: string): Promise<boolean> {
  const known = doubtsOf(nc)
  const now = performance.now()
  const doubt = known.get(id) ?? { since: now, ledSince: null }
  const [oldest] = known.keys()
  if (known.size >= mostKept && oldest !== undefined) known.delete(oldest)
  known.set(id, doubt)
  if (now - doubt.since < voteMs) return false
  if (doubt.ledSince !== null) return now - doubt.ledSince >= ledVoteMs
  const isLed = await jsm.streams.info(stream).then(
    () => true,
    () => false,
  )
  if (isLed) doubt.ledSince = performance.now()
  return false
}

/** The message of this name is stored: nothing more need be known of its vote. */
export function decided(nc: NatsConnection, id: string): void {
  doubts.get(nc)?.delete(id)
}

function doubtsOf(nc: NatsConnection): Map<string, Doubt> {
  const known = doubts.get(nc) ?? new Map<string, Doubt>()
  doubts.set(nc, known)
  return known
}
