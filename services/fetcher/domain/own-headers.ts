/** The headers and cookies that a run sends in addition to ours. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Remembered } from './remembered.ts'

export type OwnHeaders = (work: Pick<FetchOrders, 'headers' | 'cookies'>) => Record<string, string>

/** `open` is the sealer's. Names are in lower case, so that a run's own fields replace ours. */
export const ownHeaders =
  (open: Remembered): OwnHeaders =>
  ({ headers, cookies }) => {
    const own: Record<string, string> = {}
    for (const [name, value] of Object.entries(headers ? JSON.parse(open(headers)) : {})) {
      own[name.toLowerCase()] = String(value)
    }
    if (cookies) own.cookie = open(cookies)
    return own
  }
