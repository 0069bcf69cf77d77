/** Decrypts the headers and cookies that a run sends in addition to the crawler's. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Memoized } from './memoize.ts'
import { withCookies } from './session-cookies.ts'

export type OwnHeaders = (work: Pick<FetchOrders, 'headers' | 'cookies'>) => Record<string, string>

/**
 * Returns a function that returns a run's own fields, with names in lower case, so that they replace the crawler's. The
 * run's cookies are added to the cookies in its headers, and replace cookies with the same name.
 * @param open decrypts a sealed text
 */
export const ownHeaders =
  (open: Memoized): OwnHeaders =>
  ({ headers, cookies }) => {
    const own: Record<string, string> = {}
    for (const [name, value] of Object.entries(headers ? JSON.parse(open(headers)) : {})) {
      own[name.toLowerCase()] = String(value)
    }
    return cookies ? withCookies(own, open(cookies)) : own
  }
