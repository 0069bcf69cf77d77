/**
 * Builds the header fields with the limits of a client and what remains of each (draft-ietf-httpapi-ratelimit-headers):
 * the request rate, and the pages of the day for a project with a cap.
 */

export type RequestsLeft = {
  perSecond: number
  burst: number
  remaining: number
  /** Milliseconds until the rate is fully restored, or until the rejected request would be accepted. */
  resetMs: number
}
export type PagesLeft = { cap: number; remaining: number; resetSeconds: number }

type Limit = { policy: string; left: string }

/** Returns both header fields by name; empty without a limit. */
export function rateFields(
  requests: RequestsLeft | null,
  pages: PagesLeft | null,
): { 'ratelimit-policy'?: string; ratelimit?: string } {
  const limits = [...(requests ? [ofRequests(requests)] : []), ...(pages ? [ofPages(pages)] : [])]
  if (limits.length === 0) return {}
  return {
    'ratelimit-policy': limits.map(({ policy }) => policy).join(', '),
    ratelimit: limits.map(({ left }) => left).join(', '),
  }
}

const ofRequests = ({ perSecond, burst, remaining, resetMs }: RequestsLeft): Limit => ({
  policy: `"rps";q=${burst};w=${Math.ceil(burst / perSecond)}`,
  left: `"rps";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
})

const ofPages = ({ cap, remaining, resetSeconds }: PagesLeft): Limit => ({
  policy: `"pages-day";q=${cap};w=86400`,
  left: `"pages-day";r=${Math.max(0, remaining)};t=${resetSeconds}`,
})
