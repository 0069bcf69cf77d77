/** Reads the position of a delivered message in its stream and its consumer from the server's reply subject. */

export type Position = {
  /** 1 for the first delivery. */
  attempt: number
  /** Sequence number in the stream. */
  sequence: number
  /** Sequence number in the consumer, which increases by one with each delivery. */
  deliverySequence: number
  /** Time when the message was stored, in ms since 1970. */
  storedAt: number
  /** Number of messages that the consumer has yet to deliver after this one. */
  pending: number
}

const shortForm = 9

/** Reads `$JS.ACK.[domain.account.]stream.consumer.attempt.sequence.delivery.nanoseconds.pending`. */
export function positionOf(reply: string): Position {
  const tokens = reply.split('.')
  const at = tokens.length === shortForm ? 4 : 6
  return {
    attempt: Number(tokens[at]),
    sequence: Number(tokens[at + 1]),
    deliverySequence: Number(tokens[at + 2]),
    storedAt: Math.floor(Number(tokens[at + 3]) / 1e6),
    pending: Number(tokens[at + 4]),
  }
}
