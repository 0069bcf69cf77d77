/** Which backend a question names. */
import type { By, FetchNow } from '@tidemark/contracts/ask/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Backend, ByOf, Came, Errand } from './backend.ts'

/** Null where this process has none. */
export type Backends = {
  http: Backend<undefined>
  faithful: Backend<ByOf<'faithful'>>
  browser: Backend<ByOf<'browser'>> | null
  proxy: Backend<ByOf<'proxy'>> | null
  vendor: Backend<ByOf<'vendor'>> | null
}

export type Go = (question: FetchNow, errand: Errand) => Promise<Came>

/** @throws FetchError `not_configured`, naming the setting that would make one */
export type ChooseBackend = (by: By | undefined) => Go

const missing: Partial<Record<By['backend'], string>> = {
  browser: 'there is no browser in this process: see BROWSER and FETCH_LANES',
  proxy: 'there are no proxies: set PROXY_POOLS',
  vendor: 'there is no vendor: set VENDOR_URL',
}

export const chooseBackend =
  (backends: Backends): ChooseBackend =>
  by => {
    if (by === undefined) return (question, errand) => backends.http(question, by, errand)
    const backend = backends[by.backend] as Backend | null
    if (backend === null)
      throw new FetchError('not_configured', { because: missing[by.backend] ?? by.backend })
    return (question, errand) => backend(question, by, errand)
  }
