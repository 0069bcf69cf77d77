/**
 * Creates the outcome of a fetched page that cannot be read. It is final by default, because fetching the page again
 * would return the same bytes.
 */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'

type Which = Pick<FetchedPage, 'runId' | 'key' | 'attempt' | 'kind'>

export const failureOf = (
  { runId, key, attempt, kind }: Which,
  reason: string,
  transient = false,
): Outcome => ({
  type: 'failed',
  runId,
  key,
  attempt,
  ...(kind && { kind }),
  reason,
  transient,
  retryAfterMs: 0,
})
