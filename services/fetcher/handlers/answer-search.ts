/** Searches the web for a waiting client with the configured engine. Refuses if none is set. */
import { Refusal, refuse } from '@tidemark/bus/refusal'
import { problems, reasons } from '@tidemark/contracts/problems'
import type { SearchWeb, SearchWebResponse } from '@tidemark/contracts/rpc/search'
import { FetchError } from '@tidemark/http/fetch-error'
import type { SearchEngine } from '../search/engine.ts'

/** Maximum milliseconds for all requests to the engine together. */
const maxMs = 20_000

const missing =
  'This installation has no search engine: set SEARCH_URL, and VENDOR_URL where that is to be the vendor.'

/**
 * Returns the handler of searches.
 * @param hardStop aborts requests in flight
 */
export function answerSearch(
  engine: SearchEngine | null,
  hardStop: AbortSignal,
): (request: SearchWeb) => Promise<SearchWebResponse> {
  return async ({ query, limit }) => {
    if (engine === null) throw refuse('not_configured', { message: missing })
    const inTime = AbortSignal.timeout(maxMs)
    try {
      return await engine(query, limit, AbortSignal.any([inTime, hardStop]))
    } catch (thrown) {
      throw refused(inTime.aborted ? new FetchError('timeout', { cause: thrown }) : FetchError.from(thrown))
    }
  }
}

const known = new Set<string>(reasons.fetch_failed)

function refused(error: FetchError): Refusal {
  const message = `The search engine returned no results. ${error.message}`
  const { status } = problems.fetch_failed
  const reason = known.has(error.code) ? error.code : 'connect'
  const retryAfterSeconds = Math.ceil(error.retryAfterMs / 1000)
  const waits = retryAfterSeconds > 0 ? { retryAfterSeconds } : {}
  return new Refusal({ status, code: 'fetch_failed', message, reason, ...waits }, { cause: error })
}
