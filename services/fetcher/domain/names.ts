/** Derives deterministic names of orders and messages, so that a redelivery is recognized. */
import { hash } from 'node:crypto'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

/** An attempt at a URL of a run. */
export type Attempt = { runId: number; key: string; attempt: number; kind?: 'sitemap' }

/**
 * Returns the name of an order: `run:key:attempt`. A sitemap's order has a suffix, because its URL may be a page too.
 */
export const orderName = ({ runId, key, attempt, kind }: Attempt): string =>
  `${runId}:${key}:${attempt}${kind ? `:${kind}` : ''}`

/**
 * Returns the Nats-Msg-Id of a message about these orders. It depends on all of them: if two messages with the same
 * first order had one id, the rest of the second would be lost.
 */
export const messageId = (attempts: readonly Attempt[]): string =>
  hash('sha256', attempts.map(orderName).join(' '), 'base64url').slice(0, 22)

/** Returns the name of a FETCH message: its stream sequence and its first order. */
export const fetchMessageName = (sequence: number, { runId, orders: [first] }: FetchOrders): string =>
  `${sequence}:${first ? orderName({ runId, key: first.key, attempt: first.attempt }) : runId}`
