/** The meaning of a status for a link: rows that extractor and gateway share. */
import type { LinkReason, LinkStatus } from './http/actors/check-links.ts'

/** `to`: the last status of a row with several. */
export type LinkAnswer = { from: number; to?: number; status: LinkStatus; reason: LinkReason; says: string }

/** With one of these statuses the page does not exist, independent of the request method. */
export const answersOfMissing: readonly LinkAnswer[] = [
  { from: 404, status: 'broken', reason: 'not_found', says: 'there is no such page' },
  { from: 410, status: 'broken', reason: 'gone', says: 'the page was removed' },
]
