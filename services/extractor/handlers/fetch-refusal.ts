/** Errors for a client whose page could not be fetched. */
import { Refusal, refuse } from '@tidemark/bus/refusal'
import { fetchFailureOf, problems } from '@tidemark/contracts/problems'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Failed } from '../adapters/fetch-now.ts'

type Failure = Pick<Failed, 'reason' | 'message'> & Partial<Pick<Failed, 'hops' | 'isUnasked'>>

/** The message for a page that was not requested, so its host was not silent. */
const notRequested =
  'The page was not requested: its host is busy with other requests or has requested a delay. Try again in two minutes.'

/**
 * Returns the refusal of a failed fetch: 502 `fetch_failed` with its reason, 400 for a forbidden or invalid URL that
 * the client sent, or 503 `not_configured` if there is no backend for the request.
 */
export function refusalOf({ reason, message, hops = [], isUnasked }: Failure): Refusal {
  const isForbidden = reason === 'private_address' || reason === 'blocked_domain'
  if (isForbidden || (reason === 'bad_url' && hops.length === 0)) {
    return new Refusal({ status: 400, code: 'invalid_input', message, reason, field: 'url' })
  }
  if (reason === 'not_configured') return refuse(reason, { message })
  const { status } = problems.fetch_failed
  return new Refusal({
    status,
    code: 'fetch_failed',
    message: isUnasked && reason === 'timeout' ? notRequested : message,
    reason: fetchFailureOf(reason),
  })
}

/** Returns the status of a site's file. Throws a `Refusal` if there was no response. */
export function statusOrRefused({ status, error }: Pick<SiteFile, 'status' | 'error'>): number {
  if (status !== null) return status
  throw refusalOf(error ?? { reason: 'protocol', message: 'There was no response.' })
}

/** Decodes the body. Throws a `Refusal` if it is corrupt or too large. */
export function decodedOrRefused(body: Buffer, encodings: string[], maxBytes: number): Buffer {
  try {
    return decodeBody(body, encodings, maxBytes)
  } catch (error) {
    if (error instanceof FetchError) throw refusalOf({ reason: error.code, message: error.message })
    throw error
  }
}
