/**
 * One page ordered of a browser, and what came of it: the document after its scripts have run, where the page led
 * instead, or a failure. What no browser can show as a document fails for good, and the run asks for it plainly.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { Fit } from '../adapters/fit.ts'
import type { Brought } from '../backends/backend.ts'
import type { BrowserBackend } from '../backends/browser.ts'
import { answerOf } from '../domain/answer.ts'
import { orderName } from '../domain/names.ts'
import { failureOf, noRoomOf, throttledOf } from './failures.ts'
import { type Fetching, pageOf } from './fetch-page.ts'

type Ports = { render: BrowserBackend; fit: Fit; maxBytes: number; timeoutMs: number }

/** Content that scripts ask for comes after the page is loaded. */
const by = { backend: 'browser', waitFor: 'networkidle', picture: false } as const
const mostHops = 20
const html = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

export const renderPage = ({ render, fit, maxBytes, timeoutMs }: Ports): Fetching => ({
  async ask({ runId, userAgent, proxy, proxyPool }, { url }, { headers, signal, ...told }) {
    if (proxy !== undefined || proxyPool !== undefined) return { error: noProxy() }
    const { 'user-agent': named = userAgent, ...own } = headers
    const limits = { maxHops: mostHops, maxBytes, cuts: false, timeoutMs }
    const question = { workId: runId, url, ...limits, own, ...(named !== undefined && { userAgent: named }) }
    const came = await render(question, by, { ...told, maxBytes, signal })
    if ('error' in came) return came
    const { sentAs } = came.fetched
    return sentAs != null && !html.test(sentAs) ? { error: noDocument(sentAs) } : came
  },

  async tell(work, order, asked) {
    const attempt = { runId: work.runId, key: order.key, attempt: order.attempt }
    if ('error' in asked) return { outcome: failureOf(attempt, asked.error) }
    const { fetched, backOffMs } = asked
    const location = wentTo(order.key, fetched)
    const answer = answerOf({ url: fetched.url, location, backOffMs, attempt: order.attempt })
    switch (answer.is) {
      case 'redirect':
        return { outcome: { type: 'redirect', ...attempt, to: answer.to } }
      case 'throttled':
        return { outcome: throttledOf(attempt, answer.retryAfterMs) }
      case 'page': {
        const travelling = await fit(fetched.body, fetched.encodings, orderName(attempt))
        if (travelling === null) return { outcome: noRoomOf(attempt) }
        const { body, ...travel } = travelling
        return { page: { ...pageOf(work, order, fetched), rendered: true, ...travel }, body }
      }
    }
  },
})

/** The first other page that it led to; an address that scripts only write is none. */
function wentTo(key: string, { url, hops }: Pick<Brought, 'url' | 'hops'>): string | null {
  const [, ...next] = [...hops.map(hop => hop.url), url]
  return next.find(at => keyOf(at) !== key) ?? null
}

function keyOf(url: string): string | null {
  const normal = normalForm(url)
  return normal === null ? null : urlKey(normal)
}

const noProxy = () =>
  new FetchError('proxy', { because: 'a browser goes by no proxy of a run', transient: false })

const noDocument = (sentAs: string) =>
  new FetchError('protocol', { because: `${sentAs.slice(0, 100)} is not HTML`, transient: false })
