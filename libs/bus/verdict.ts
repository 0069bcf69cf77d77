/** The decision of a handler on a delivery. Every delivery ends in one of these three ways. */
import type { MsgHdrs } from '@nats-io/transport-node'

export type Verdict =
  | { settle: 'ack' } // done; never send it again
  | { settle: 'nak'; afterMs: number } // not done; send it again later
  | { settle: 'deadLetter'; reason: string } // cannot be done; dead-letter it with the reason

export type Delivery = {
  /** 1 for the first delivery; crashes and restarts count too. */
  attempt: number
  /** Sequence number in the stream, which is the same for every attempt. */
  sequence: number
  subject: string
  headers: MsgHdrs | undefined
  /** Aborts when the consumer stops. */
  signal: AbortSignal
  redelivered: boolean
}

export type Handler<Work> = (work: Work, delivery: Delivery) => Promise<Verdict>

export const ack: Verdict = { settle: 'ack' }
/** Returns the verdict that redelivers the message in this number of milliseconds. */
export const nak = (afterMs: number): Verdict => ({ settle: 'nak', afterMs })
/** Returns the verdict that terminates the message. The dead letter contains the reason. */
export const deadLetter = (reason: string): Verdict => ({ settle: 'deadLetter', reason })
