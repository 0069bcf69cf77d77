/** Whether a host responded to the crawler itself, or to a customer's own identity. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

/** The parts of a request that a customer may set. */
export type Own = Pick<FetchOrders, 'headers' | 'cookies' | 'userAgent' | 'proxy' | 'proxyPool'>

/**
 * Returns whether the request leaves as every run's does. The responses to all others are valid for their run only,
 * because the customer may have written them.
 */
export const isInOurName = ({ headers, cookies, userAgent, proxy, proxyPool }: Own): boolean =>
  headers === undefined &&
  cookies === undefined &&
  userAgent === undefined &&
  proxy === undefined &&
  proxyPool === undefined
