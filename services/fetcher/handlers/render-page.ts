/**
 * Renders one ordered page in a browser. The result is the document after its scripts have run, a redirect, or a
 * failure. A resource that no browser shows as a document fails permanently, and the run fetches it without a browser.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import type { Fit } from '../adapters/fit.ts'
import type { BackendPage } from '../backends/backend.ts'
import type { BrowserBackend } from '../backends/browser.ts'
import { type Fetching, keyOf, telling } from './fetch-page.ts'

type Ports = { render: BrowserBackend; fit: Fit; maxBytes: number; timeoutMs: number }

/** Content that scripts fetch arrives after the page is loaded. */
const by = { backend: 'browser', waitFor: 'networkidle', picture: false } as const
const maxHops = 20
const html = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

export const renderPage = ({ render, fit, maxBytes, timeoutMs }: Ports): Fetching => ({
  async ask({ runId, userAgent, proxy, proxyPool }, { url }, { headers, signal, ...listener }) {
    if (proxy !== undefined || proxyPool !== undefined) return { error: noProxy() }
    const { 'user-agent': named = userAgent, ...own } = headers
    const limits = { maxHops, maxBytes, cuts: false, timeoutMs }
    const question = { workId: runId, url, ...limits, own, ...(named !== undefined && { userAgent: named }) }
    const came = await render(question, by, { ...listener, maxBytes, signal })
    if ('error' in came) return came
    const { sentAs } = came.fetched
    return sentAs != null && !html.test(sentAs) ? { error: noDocument(sentAs) } : came
  },

  tell: telling(fit, {
    locationOf: ({ key }, fetched) => wentTo(key, fetched),
    moreOf: () => ({ rendered: true }),
  }),
})

/**
 * Returns the first other page to which the ordered page navigated. A URL that scripts set without a navigation does
 * not count.
 */
function wentTo(key: string, { url, hops }: Pick<BackendPage, 'url' | 'hops'>): string | null {
  const [, ...next] = [...hops.map(hop => hop.url), url]
  return next.find(at => keyOf(at) !== key) ?? null
}

const noProxy = () =>
  new FetchError('proxy', { because: 'a browser cannot use the proxy of a run', transient: false })

const noDocument = (sentAs: string) =>
  new FetchError('protocol', { because: `${sentAs.slice(0, 100)} is not HTML`, transient: false })
