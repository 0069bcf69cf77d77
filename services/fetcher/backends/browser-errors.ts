/** Maps the errors of a render to errors of a fetch. */
import { type RenderCode, RenderError } from '@tidemark/browser/render-error'
import { type FetchCode, FetchError } from '@tidemark/http/fetch-error'
import type { FilteringSession } from '@tidemark/http/filtering/filtering-session'

type Meaning = { code: FetchCode; transient?: boolean }

/** Codes that have another name in a fetch over HTTP. All others have the same name. */
const meanings: Partial<Record<RenderCode, Meaning>> = {
  busy: { code: 'timeout', transient: true },
  download: { code: 'protocol', transient: false },
  no_document: { code: 'protocol', transient: false },
  crashed: { code: 'protocol', transient: true },
  browser: { code: 'not_configured' },
}

/**
 * Returns the fetch's error. It keeps the sentence of the render, which describes the failure better than the generic
 * one.
 */
function errorOfRender(error: RenderError): FetchError {
  const { code, transient } = meanings[error.code] ?? { code: error.code as FetchCode }
  return new FetchError(code, {
    sentence: error.message,
    cause: error,
    ...(transient !== undefined && { transient }),
  })
}

/** Codes that may mean that the proxy refused the document. */
const ofRefusal = new Set<RenderCode>(['proxy', 'connect', 'protocol', 'no_document'])

/**
 * Returns the error of a visit to a page. The refusal of the proxy describes the fault better than the error of the
 * browser. If no refusal is for the page's host, or an action failed, the last refusal counts.
 */
export function errorOfVisit(
  { refusals, over }: Pick<FilteringSession, 'refusals' | 'over'>,
  { hostname }: URL,
  thrown: unknown,
): FetchError {
  const error = RenderError.from(thrown)
  const last = refusals.at(-1)
  const refused = refusals.find(({ host }) => host === hostname) ?? last
  if (ofRefusal.has(error.code) && refused) return ofSite(refused.error)
  const { cause } = error
  if (error.code === 'action_failed' && cause instanceof RenderError && ofRefusal.has(cause.code) && last)
    return new FetchError('action_failed', {
      sentence: `${error.message}. ${last.error.message}`,
      cause: error,
    })
  return over?.code === 'too_large' ? over : ofSite(errorOfRender(error))
}

/**
 * Returns the error with the code of a bad response if the site chose the bad URL. The requested URL is always valid.
 */
const ofSite = (error: FetchError): FetchError =>
  error.code === 'bad_url'
    ? new FetchError('protocol', { sentence: error.message, cause: error, transient: false })
    : error
