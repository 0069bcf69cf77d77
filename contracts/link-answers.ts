/** Maps HTTP statuses to the state of a link. The extractor and the gateway share these rows. */
import type { LinkReason, LinkStatus } from './http/actors/check-links.ts'

/** A row for the statuses from `from` to `to`. Without `to` it is for `from` alone. */
export type LinkAnswer = {
  from: number
  to?: number
  status: LinkStatus
  reason: LinkReason
  explanation: string
}

/** Statuses of pages that do not exist, whatever the request method. */
export const answersOfMissing: readonly LinkAnswer[] = [
  { from: 404, status: 'broken', reason: 'not_found', explanation: 'there is no such page' },
  { from: 410, status: 'broken', reason: 'gone', explanation: 'the page was removed' },
]
