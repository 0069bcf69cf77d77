/**
 * Classifies an origin's response for the run: a page with any status, a redirect for the run to judge, or a request
 * of the host to retry later. The crawler retries at most twice.
 */
import { maxPageAttempts } from '@tidemark/contracts/work/fetch'
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'

export type Answer =
  | { type: 'page' }
  | { type: 'redirect'; to: FoundLink }
  | { type: 'throttled'; retryAfterMs: number }

type Seen = {
  /** The URL of the response. */
  url: string
  /** Target of a redirect; null if there is no redirect or no target. */
  location: string | null
  /** Back-off in milliseconds that the host requests; null if none. */
  backOffMs: number | null
  attempt: number
  /** Number of attempts that do not count. */
  earlier?: number | undefined
}

/** The counted attempt at which a response that throttles is stored as a page, so that the run can end. */
const lastAttempt = maxPageAttempts

/** Returns the class. A redirect to an address that can never be fetched is a page, so that it stays visible. */
export function answerOf({ url, location, backOffMs, attempt, earlier = 0 }: Seen): Answer {
  if (backOffMs !== null && attempt - earlier < lastAttempt)
    return { type: 'throttled', retryAfterMs: backOffMs }
  const target = location === null ? null : normalForm(location, url)
  return target === null ? { type: 'page' } : { type: 'redirect', to: [urlKey(target), target] }
}
