/**
 * The fields that tell a client its limits and what is left of them (draft-ietf-httpapi-ratelimit-headers): the
 * rate of requests, and the pages of the day where the project has a cap.
 */

export type RequestsLeft = { perSecond: number; burst: number; remaining: number; fullInMs: number }
export type PagesLeft = { cap: number; remaining: number; resetSeconds: number }

/** Both fields, by name. */
export function rateFields(requests: RequestsLeft, pages: PagesLeft | null): Record<string, string> {
  const { perSecond, burst, remaining, fullInMs } = requests
  const policy = [`"rps";q=${burst};w=${Math.ceil(burst / perSecond)}`]
  const left = [`"rps";r=${remaining};t=${Math.ceil(fullInMs / 1000)}`]
  if (pages !== null) {
    policy.push(`"pages-day";q=${pages.cap};w=86400`)
    left.push(`"pages-day";r=${Math.max(0, pages.remaining)};t=${pages.resetSeconds}`)
  }
  return { 'ratelimit-policy': policy.join(', '), ratelimit: left.join(', ') }
}
