/** The one bucket that a page of a sitemap falls into: of all that holds of it, the gravest. */
import type { Bucket } from '@tidemark/contracts/http/actor-sitemap-audit'

export type Found = {
  /** Null without an answer. */
  status: number | null
  /** Whether what came could not be read, or nothing came. */
  hasFailed: boolean
  isNoindex: boolean
  /** Whether its canonical is another address. */
  isAway: boolean
}

/** The gravest first. */
const rules: readonly [Bucket, (found: Found & { status: number }) => boolean][] = [
  ['server_error', ({ status }) => status >= 500 && status <= 599],
  ['client_error', ({ status }) => status >= 400 || status < 200],
  ['redirect', ({ status }) => status >= 300],
  ['noindex', ({ isNoindex }) => isNoindex],
  ['canonicalised_away', ({ isAway }) => isAway],
]

export function bucketOf({ status, hasFailed, ...rest }: Found): Bucket {
  if (status === null || hasFailed) return 'network_error'
  return rules.find(([, holds]) => holds({ status, hasFailed, ...rest }))?.[0] ?? 'ok'
}
