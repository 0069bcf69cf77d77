/** The bucket of a page of a sitemap: the most severe of its conditions. */
import type { Bucket } from '@tidemark/contracts/http/actors/sitemap-audit'

/** The parts of the response to a probe on which the bucket depends. */
export type ProbedState = {
  /** Null without a response. */
  status: number | null
  /** Whether the response was unreadable or absent. */
  hasFailed: boolean
  isNoindex: boolean
  /** Whether its canonical is another URL. */
  isAway: boolean
}

/** Most severe first. */
const rules: readonly [Bucket, (found: ProbedState & { status: number }) => boolean][] = [
  ['server_error', ({ status }) => status >= 500 && status <= 599],
  ['client_error', ({ status }) => status >= 400 || status < 200],
  ['redirect', ({ status }) => status >= 300],
  ['noindex', ({ isNoindex }) => isNoindex],
  ['canonicalised_away', ({ isAway }) => isAway],
]

export function bucketOf({ status, hasFailed, ...rest }: ProbedState): Bucket {
  if (status === null || hasFailed) return 'network_error'
  return rules.find(([, holds]) => holds({ status, hasFailed, ...rest }))?.[0] ?? 'ok'
}
