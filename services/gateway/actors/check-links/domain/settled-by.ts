/** Judges a blocked link by the response that a cloud backend received. */

import { answersOfMissing } from '@tidemark/contracts/link-answers'
import type { GotPage } from '@tidemark/contracts/rpc/cloud'
import type { Checked } from './link-items.ts'

/**
 * Returns ok for a page that exists and broken for a missing one. Returns undefined for any other status, which is another
 * refusal, and for a challenge.
 */
export function settledBy({ status, url, content }: GotPage, before: Checked): Checked | undefined {
  if (content.challenge !== null) return undefined
  const answered = { ...before, statusCode: status, url, leaveAloneMs: null }
  if (status < 400) return { ...answered, status: 'ok', reason: null, error: null, isRecovered: true }
  const row = answersOfMissing.find(({ from }) => from === status)
  if (row === undefined) return undefined
  return { ...answered, status: row.status, reason: row.reason, error: `${status}: ${row.says}` }
}
