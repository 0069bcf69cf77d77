/** Whether an answer was given to us, or to a customer who goes by our machines. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

/** What a customer may have made his own of a request. */
export type Own = Pick<FetchOrders, 'headers' | 'cookies' | 'userAgent' | 'proxy' | 'proxyPool'>

/**
 * Whether the request leaves as everybody's does. What comes of any other one holds for its run alone: the
 * customer may have written the answer himself.
 */
export const isInOurName = ({ headers, cookies, userAgent, proxy, proxyPool }: Own): boolean =>
  headers === undefined &&
  cookies === undefined &&
  userAgent === undefined &&
  proxy === undefined &&
  proxyPool === undefined
