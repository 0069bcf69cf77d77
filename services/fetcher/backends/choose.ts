/** Returns the backend that a request names. */
import type { By, FetchNow } from '@tidemark/contracts/rpc/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Backend, BackendResult, ByOf, RequestContext } from './backend.ts'

/** The backends by name; null if this process has no such backend. */
export type Backends = {
  http: Backend<undefined>
  faithful: Backend<ByOf<'faithful'>>
  browser: Backend<ByOf<'browser'>> | null
  proxy: Backend<ByOf<'proxy'>> | null
  vendor: Backend<ByOf<'vendor'>> | null
}

/** Fetches by the named backend. */
export type FetchByBackend = (request: FetchNow, context: RequestContext) => Promise<BackendResult>

/**
 * Returns the function that fetches by the named backend.
 * @throws FetchError `not_configured`, which names the setting that enables the backend
 */
export type ChooseBackend = (by: By | undefined) => FetchByBackend

const missing: Partial<Record<By['backend'], string>> = {
  browser: 'this process has no browser: set BROWSER and FETCH_LANES',
  proxy: 'no proxies are configured: set PROXY_POOLS',
  vendor: 'no vendor is configured: set VENDOR_URL',
}

export const chooseBackend =
  (backends: Backends): ChooseBackend =>
  by => {
    if (by === undefined) return (request, context) => backends.http(request, by, context)
    const backend = backends[by.backend] as Backend | null
    if (backend === null)
      throw new FetchError('not_configured', { because: missing[by.backend] ?? by.backend })
    return (request, context) => backend(request, by, context)
  }
