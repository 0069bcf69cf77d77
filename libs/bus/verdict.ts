/** How a delivery ends. Every delivery ends in one of these three ways. */
import type { MsgHdrs } from '@nats-io/transport-node'

export type Verdict =
  | { settle: 'ack' } // done; never send it again
  | { settle: 'nak'; afterMs: number } // not done; send it again later
  | { settle: 'giveUp'; reason: string } // cannot be done; dead-letter it with the reason

export type Delivery = {
  /** 1 for the first delivery; crashes and restarts count too. */
  attempt: number
  /** In the stream: the same for every attempt. */
  sequence: number
  subject: string
  headers: MsgHdrs | undefined
  /** Aborts when the consumer stops. */
  signal: AbortSignal
  redelivered: boolean
}

export type Handler<Work> = (work: Work, delivery: Delivery) => Promise<Verdict>

export const ack: Verdict = { settle: 'ack' }
/** Redelivers in this number of milliseconds. */
export const nak = (afterMs: number): Verdict => ({ settle: 'nak', afterMs })
/** Terminates the message; the reason is for the reader of the dead letters. */
export const giveUp = (reason: string): Verdict => ({ settle: 'giveUp', reason })
