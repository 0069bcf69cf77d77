/** What a status says of a link, whoever was asked for it: rows that extractor and gateway read alike. */
import type { LinkReason, LinkStatus } from './http/actor-check-links.ts'

/** `to`: the last status of the row, where it has several. */
export type LinkAnswer = { from: number; to?: number; status: LinkStatus; reason: LinkReason; says: string }

/** By whatever way a page was asked for, with one of these it is not there. */
export const answersOfMissing: readonly LinkAnswer[] = [
  { from: 404, status: 'broken', reason: 'not_found', says: 'there is no such page' },
  { from: 410, status: 'broken', reason: 'gone', says: 'the page is gone' },
]
