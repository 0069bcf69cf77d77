/** Determines whether a host responded to the crawler's own identity, or to one that a customer has set. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

const ownFields = ['headers', 'cookies', 'session', 'login', 'userAgent', 'proxy', 'proxyPool'] as const

/** The parts of a request that a customer may set. */
export type Own = Pick<FetchOrders, (typeof ownFields)[number]>

/**
 * Returns whether a request has the crawler's own identity and route, like those of other runs. Responses to all other
 * requests count for their run only, because the customer may have influenced them.
 */
export const isInOurName = (own: Own): boolean => ownFields.every(name => own[name] === undefined)
