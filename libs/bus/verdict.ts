/** How a delivery ends. There is no fourth way, and no way to leave one unsettled. */
import type { MsgHdrs } from '@nats-io/transport-node'

export type Verdict =
  | { settle: 'ack' } // done; never send it again
  | { settle: 'nak'; afterMs: number } // not done; send it again later
  | { settle: 'giveUp'; reason: string } // cannot be done; keep it among the dead, with the reason

export type Delivery = {
  /** 1 for the first time; crashes and restarts count too. */
  attempt: number
  /** In the stream: the same at every attempt. */
  sequence: number
  subject: string
  headers: MsgHdrs | undefined
  /** Aborts when the consumer is told to stop. */
  signal: AbortSignal
  redelivered: boolean
}

export type Handler<Work> = (work: Work, delivery: Delivery) => Promise<Verdict>

export const ack: Verdict = { settle: 'ack' }
/** Again, in so many milliseconds. */
export const nak = (afterMs: number): Verdict => ({ settle: 'nak', afterMs })
/** Never again; the reason is for whoever looks at the dead. */
export const giveUp = (reason: string): Verdict => ({ settle: 'giveUp', reason })
