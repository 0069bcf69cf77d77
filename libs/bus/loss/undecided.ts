/**
 * In a cluster nats-server 2.10 records the id of a message when it proposes it, and acknowledges repeats as duplicates
 * of sequence 0 until the vote ends. If the vote never ends, as with a leader that lost its peers and comes back,
 * nothing is stored and every repeat is acknowledged. Such an acknowledgement therefore does not count.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { Bus } from '../connection.ts'

/** A server has received this message and cannot confirm that it is stored. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/** How long a vote may wait for servers that come back. With a leader it takes less than a second. */
const voteMs = 10_000
const ledVoteMs = 1_000
/** Limit of ids that are never retried. */
const maxKept = 1_000

type Doubt = { since: number; ledSince: number | null }

const doubts = new WeakMap<NatsConnection, Map<string, Doubt>>()

/** Returns whether an acknowledgement only says that the vote is pending. */
export const isUndecided = ({ seq, duplicate }: { seq: number; duplicate: boolean }): boolean =>
  duplicate && seq === 0

/**
 * Returns whether the vote will never end, after another such acknowledgement: it has lasted too long, and the stream
 * had a leader for a while meanwhile. The message must then be sent under another id.
 */
export async function isVoteOver({ nc, jsm }: Bus, stream: string, id: string): Promise<boolean> {
  const known = doubtsOf(nc)
  const now = performance.now()
  const doubt = known.get(id) ?? { since: now, ledSince: null }
  const [oldest] = known.keys()
  if (known.size >= maxKept && oldest !== undefined) known.delete(oldest)
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

/** The message of this id is stored, and its vote is dropped. */
export function decided(nc: NatsConnection, id: string): void {
  doubts.get(nc)?.delete(id)
}

function doubtsOf(nc: NatsConnection): Map<string, Doubt> {
  const known = doubts.get(nc) ?? new Map<string, Doubt>()
  doubts.set(nc, known)
  return known
}
