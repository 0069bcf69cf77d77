/** The headers and cookies that a run sends besides ours: opened once, and only as long as its orders come. */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

export type OwnHeaders = (work: Pick<FetchOrders, 'headers' | 'cookies'>) => Record<string, string>

const mostRemembered = 1_000

/** `open` is the sealer's. Names come out in lower case, so that a run's own replace ours. */
export function ownHeaders(open: (sealed: string) => string): OwnHeaders {
  const known = new Map<string, string>()
  const opened = (sealed: string): string => {
    const before = known.get(sealed)
    if (before !== undefined) return before
    const text = open(sealed)
    known.set(sealed, text)
    for (const oldest of known.keys()) if (known.size > mostRemembered) known.delete(oldest)
    return text
  }
  return ({ headers, cookies }) => {
    const own: Record<string, string> = {}
    for (const [name, value] of Object.entries(headers ? JSON.parse(opened(headers)) : {})) {
      own[name.toLowerCase()] = String(value)
    }
    if (cookies) own.cookie = opened(cookies)
    return own
  }
}
