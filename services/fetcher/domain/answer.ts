/**
 * What an origin's answer is to the run: a page whatever its status, a redirect that the run has to judge, or
 * a request to come back later, which is believed twice.
 */
import type { FoundLink } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'

export type Answer =
  | { is: 'page' }
  | { is: 'redirect'; to: FoundLink }
  | { is: 'throttled'; retryAfterMs: number }

type Seen = {
  /** Where the answer came from. */
  url: string
  /** Of a redirect; null where there is none or it is missing. */
  location: string | null
  /** Milliseconds the host asks for; null when it does not. */
  backOffMs: number | null
  attempt: number
}

/** A host that throttles on this attempt still gets its page stored as it is: the run must end. */
const lastAttempt = 3

/** A redirect to what can never be fetched is a page, so that somebody can see it. */
export function answerOf({ url, location, backOffMs, attempt }: Seen): Answer {
  if (backOffMs !== null && attempt < lastAttempt) return { is: 'throttled', retryAfterMs: backOffMs }
  const target = location === null ? null : normalForm(location, url)
  return target === null ? { is: 'page' } : { is: 'redirect', to: [urlKey(target), target] }
}
