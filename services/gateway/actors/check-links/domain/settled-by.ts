/** What a cloud backend that had another try says of a link that had blocked us. */

import { answersOfMissing } from '@tidemark/contracts/link-answers'
import type { GotPage } from '@tidemark/contracts/rpc/cloud'
import type { Checked } from './link-items.ts'

/**
 * A page that is there is ok, one that is not is broken. Undefined for whatever else the backend was told, which is one
 * more refusal, and for a challenge.
 */
export function settledBy({ status, url, content }: GotPage, before: Checked): Checked | undefined {
  if (content.challenge !== null) return undefined
  const answered = { ...before, statusCode: status, url, leaveAloneMs: null }
  if (status < 400) return { ...answered, status: 'ok', reason: null, error: null, isRecovered: true }
  const row = answersOfMissing.find(({ from }) => from === status)
  if (row === undefined) return undefined
  return { ...answered, status: row.status, reason: row.reason, error: `${status}: ${row.says}` }
}
