/** What the errors of a render mean for a fetch. */
import type { RenderCode, RenderError } from '@tidemark/browser/render-error'
import { type FetchCode, FetchError } from '@tidemark/http/fetch-error'

type Meaning = { code: FetchCode; transient?: boolean }

/** Those that a fetch over HTTP does not know; the names of all others are the same. */
const meanings: Partial<Record<RenderCode, Meaning>> = {
  busy: { code: 'timeout', transient: true },
  download: { code: 'protocol', transient: false },
  no_document: { code: 'protocol', transient: false },
  crashed: { code: 'protocol', transient: true },
  browser: { code: 'not_configured' },
}

/** It says what the render said: that is about the same page, in other words than a fetch has for it. */
export function errorOfRender(error: RenderError): FetchError {
  const { code, transient } = meanings[error.code] ?? { code: error.code as FetchCode }
  return new FetchError(code, {
    says: error.message,
    cause: error,
    ...(transient !== undefined && { transient }),
  })
}
