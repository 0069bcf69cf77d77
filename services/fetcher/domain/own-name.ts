/** Determines whether a host responded to the crawler's own identity, or to one that a customer has set. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

/** The parts of a request that a customer may set. */
export type Own = Pick<
  FetchOrders,
  'headers' | 'cookies' | 'session' | 'login' | 'userAgent' | 'proxy' | 'proxyPool'
>

/**
 * Returns whether a request has the crawler's own identity and route, like those of other runs. Responses to all other
 * requests count for their run only, because the customer may have influenced them.
 */
export const isInOurName = ({
  headers,
  cookies,
  session,
  login,
  userAgent,
  proxy,
  proxyPool,
}: Own): boolean =>
  headers === undefined &&
  cookies === undefined &&
  session === undefined &&
  login === undefined &&
  userAgent === undefined &&
  proxy === undefined &&
  proxyPool === undefined
