/** Maps the errors of a render to those of a fetch. */
import type { RenderCode, RenderError } from '@tidemark/browser/render-error'
import { type FetchCode, FetchError } from '@tidemark/http/fetch-error'

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
export function errorOfRender(error: RenderError): FetchError {
  const { code, transient } = meanings[error.code] ?? { code: error.code as FetchCode }
  return new FetchError(code, {
    sentence: error.message,
    cause: error,
    ...(transient !== undefined && { transient }),
  })
}
