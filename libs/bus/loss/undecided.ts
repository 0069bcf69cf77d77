/**
 * In a cluster nats-server 2.10 records the id of a message when it proposes it, and acknowledges repeats as
 * duplicates of sequence 0 until the vote ends. If the vote never ends, as with a leader that lost its peers and
 * comes back, nothing is stored and every repeat is acknowledged. Such an acknowledgement therefore does not count.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { Bus } from '../connection.ts'
import { perConnection } from '../per-connection.ts'

/** Reports that a server has received a message and cannot confirm that it is stored. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/**
 * Milliseconds that a vote may take: in total, including restarts of servers, and from the moment the stream has a
 * leader.
 */
const voteMs = 10_000
const ledVoteMs = 1_000
/** Maximum tracked votes. Some are never retried, so the oldest is dropped. */
const maxKept = 1_000

type Doubt = { since: number; ledSince: number | null }

/** The votes that are tracked, by message id. */
const doubtsOf = perConnection(() => new Map<string, Doubt>())

/** Returns whether an acknowledgement only says that the vote is pending. */
export const isUndecided = ({ seq, duplicate }: { seq: number; duplicate: boolean }): boolean =>
  duplicate && seq === 0

/**
 * Records an undecided acknowledgement. Returns whether the vote will never end: it has lasted too long, and the
 * stream had a leader for a while meanwhile. The message must then be sent under another id.
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

/** Drops the vote on a message that is now stored. */
export function decided(nc: NatsConnection, id: string): void {
  doubtsOf(nc).delete(id)
}
