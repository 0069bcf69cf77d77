/**
 * Classifies an origin's response for the run: a page with any status, a redirect for the run to judge, or a request to
 * retry later, which is accepted twice.
 */
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'

export type Answer =
  | { is: 'page' }
  | { is: 'redirect'; to: FoundLink }
  | { is: 'throttled'; retryAfterMs: number }

type Seen = {
  /** The URL of the response. */
  url: string
  /** Target of a redirect; null if there is no redirect or no target. */
  location: string | null
  /** Back-off in milliseconds that the host requests; null if none. */
  backOffMs: number | null
  attempt: number
}

/** A host that throttles on this attempt gets its page stored as it is, so that the run can end. */
const lastAttempt = 3

/** A redirect to an address that can never be fetched is stored as a page, so that it stays visible. */
export function answerOf({ url, location, backOffMs, attempt }: Seen): Answer {
  if (backOffMs !== null && attempt < lastAttempt) return { is: 'throttled', retryAfterMs: backOffMs }
  const target = location === null ? null : normalForm(location, url)
  return target === null ? { is: 'page' } : { is: 'redirect', to: [urlKey(target), target] }
}
