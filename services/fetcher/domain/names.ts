/** Names that are made from what they name, so that a repetition is recognised as one. */
import { hash } from 'node:crypto'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

type Attempt = { runId: number; key: string; attempt: number }

/** An order, as it is called everywhere: `run:key:attempt`. */
export const orderName = ({ runId, key, attempt }: Attempt): string => `${runId}:${key}:${attempt}`

/**
 * The Nats-Msg-Id of a message about these orders. It stands for all of them: two messages that only begin
 * alike must not be taken for one, or the rest of the second would be lost.
 */
export const messageId = (attempts: readonly Attempt[]): string =>
  hash('sha256', attempts.map(orderName).join(' '), 'base64url').slice(0, 22)

/** A message of FETCH: where it stands in the stream, and its first order. */
export const fetchMessageName = (sequence: number, { runId, orders: [first] }: FetchOrders): string =>
  `${sequence}:${first ? orderName({ runId, ...first }) : runId}`
