/** What a page that could not be fetched means for whoever waits for it. */
import { Refusal, refuse } from '@tidemark/bus/ask'
import { problems, reasons } from '@tidemark/contracts/problems'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Failed } from '../adapters/fetch-now.ts'

const known: readonly string[] = reasons.fetch_failed

type Failure = Pick<Failed, 'reason' | 'message'> & Partial<Pick<Failed, 'hops' | 'isUnasked'>>

/** Of a page whose host never kept silent, for it was not asked. */
const noTurn =
  'The page was not asked for: its host is busy with others, or wants to be left alone for now. Try again in two minutes.'

/**
 * 502 `fetch_failed` with its reason; 400 for an address that may not be asked, or is none and was the client's own; 503
 * `not_configured` where nobody gets pages so.
 */
export function refusalOf({ reason, message, hops = [], isUnasked }: Failure): Refusal {
  const isNotToBeAsked = reason === 'private_address' || reason === 'blocked_domain'
  if (isNotToBeAsked || (reason === 'bad_url' && hops.length === 0)) {
    return new Refusal({ status: 400, code: 'invalid_input', message, reason, field: 'url' })
  }
  if (reason === 'not_configured') return refuse(reason, { message })
  const { status } = problems.fetch_failed
  return new Refusal({
    status,
    code: 'fetch_failed',
    message: isUnasked && reason === 'timeout' ? noTurn : message,
    reason: known.includes(reason) ? reason : 'protocol',
  })
}

/** The body as it was before it was packed; throws the `Refusal` for one that cannot be unpacked or is too large. */
export function decodedOrRefused(body: Buffer, encodings: string[], maxBytes: number): Buffer {
  try {
    return decodeBody(body, encodings, maxBytes)
  } catch (error) {
    if (error instanceof FetchError) throw refusalOf({ reason: error.code, message: error.message })
    throw error
  }
}
