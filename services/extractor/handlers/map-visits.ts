/** The requests of one map: each within its share of the time, and all within their number. */
import { randomInt } from 'node:crypto'
import type { Failed, Fetched, FetchPage } from '../adapters/fetch-now.ts'

export type Wanted = { maxHops: number; maxBytes: number; cuts?: boolean }
/** What is left out is not asked for; `because` says why. */
export type LeftOut = { is: 'left_out'; because: string }
export type Visit = (url: string, wanted: Wanted) => Promise<Fetched | Failed | LeftOut>

type Options = {
  fetchPage: FetchPage
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  maxFetches: number
  userAgent?: string | undefined
}

/** Of the whole time, for one request: a slow one leaves something to the others. */
const share = 0.4
/** With less time than this a request is not worth its while. */
const leastMs = 50

export function startVisits({ fetchPage, timeoutMs, maxFetches, userAgent }: Options): Visit {
  const workId = -randomInt(1, 2 ** 47)
  const endsAt = performance.now() + timeoutMs
  let left = maxFetches
  return async (url, { cuts = false, ...wanted }) => {
    const remainingMs = Math.floor(Math.min(endsAt - performance.now(), timeoutMs * share))
    if (remainingMs < leastMs) return leftOut('the time was over')
    if (left <= 0) return leftOut(`at most ${maxFetches} requests are made`)
    left -= 1
    const own = userAgent === undefined ? {} : { userAgent }
    return fetchPage({ workId, url, timeoutMs: remainingMs, cuts, ...wanted, ...own })
  }
}

const leftOut = (because: string): LeftOut => ({ is: 'left_out', because })
