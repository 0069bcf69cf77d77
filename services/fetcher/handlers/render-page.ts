/**
 * Renders one ordered page in a browser. The result is the document after its scripts have run, a redirect, or a
 * failure. A resource that no browser shows as a document fails permanently, and the run fetches it without a browser.
 */
import type { FetchOrder } from '@tidemark/contracts/work/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { type PackBody, pictureEncodings } from '../adapters/pack-body.ts'
import type { BackendPage } from '../backends/backend.ts'
import type { BrowserBackend } from '../backends/browser.ts'
import { orderName } from '../domain/names.ts'
import { cookiesWithin } from '../domain/session-cookies.ts'
import { type Fetching, keyOf, resultMaker } from './fetch-page.ts'

type Ports = { render: BrowserBackend; packBody: PackBody; maxBytes: number; timeoutMs: number }

/** Content that scripts fetch arrives after the page is loaded. */
const by = { backend: 'browser', waitFor: 'networkidle' } as const
const maxHops = 20
/** Larger screenshots are not kept. */
const maxPictureBytes = 8 * 1024 ** 2
const html = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

export function renderPage({ render, packBody, maxBytes, timeoutMs }: Ports): Fetching {
  const toResult = resultMaker(packBody, {
    locationOf: ({ key }, fetched) => wentTo(key, fetched),
    moreOf: () => ({ rendered: true }),
  })
  return {
    async send(
      { runId, projectId, scope, userAgent, proxy, proxyPool, screenshots = false },
      { url },
      { headers, session, signal, ...listener },
    ) {
      if (proxy !== undefined || proxyPool !== undefined) return { error: noProxy() }
      const { 'user-agent': named = userAgent, ...runHeaders } = headers
      const limits = { maxHops, maxBytes, cuts: false, timeoutMs }
      const request = {
        ...{ workId: runId, projectId, url },
        ...limits,
        runHeaders,
        session: cookiesWithin(session, scope, url, Date.now()),
        ...(named !== undefined && { userAgent: named }),
      }
      const result = await render(request, { ...by, picture: screenshots }, { ...listener, maxBytes, signal })
      if ('error' in result) return result
      const { sentAs } = result.fetched
      return sentAs != null && !html.test(sentAs) ? { error: noDocument(sentAs) } : result
    },

    async toResult(work, order, response) {
      const result = await toResult(work, order, response)
      if ('outcome' in result || 'error' in response) return result
      const pictureKey = await keepPicture(packBody, order, work.runId, response.fetched)
      return pictureKey === null ? result : { ...result, page: { ...result.page, pictureKey } }
    },
  }
}

/** Returns the key of the screenshot in the object store; null for a page that is stored without one. */
async function keepPicture(
  packBody: PackBody,
  { key, attempt }: FetchOrder,
  runId: number,
  { picture }: BackendPage,
): Promise<string | null> {
  if (picture === undefined || picture.byteLength > maxPictureBytes) return null
  const name = `${orderName({ runId, key, attempt })}:picture`
  const packed = await packBody(picture, pictureEncodings, name, undefined, 0)
  return packed?.bulkyKey ?? null
}

/**
 * Returns the first other page to which the ordered page navigated; null if the browser returned to the ordered page,
 * as after a check. A URL that scripts set without a navigation does not count.
 */
function wentTo(key: string, { url, hops }: Pick<BackendPage, 'url' | 'hops'>): string | null {
  if (keyOf(url) === key) return null
  const [, ...next] = [...hops.map(hop => hop.url), url]
  return next.find(at => keyOf(at) !== key) ?? null
}

const noProxy = () =>
  new FetchError('proxy', { because: 'a browser cannot use the proxy of a run', transient: false })

const noDocument = (sentAs: string) =>
  new FetchError('protocol', { because: `${sentAs.slice(0, 100)} is not HTML`, transient: false })
