/**
 * Logs a run in: carries out the steps of its login in a browser. The result is the sealed cookies of the browser, or a
 * failure that names the step and the page, and no value of a field. A second delivery logs in again.
 */
import { withoutValues } from '@tidemark/browser/without-values'
import type { PageAction } from '@tidemark/contracts/http/cloud/page-action'
import type { LoginSession, SessionCookie } from '@tidemark/contracts/login/session'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import type { BackendPage } from '../backends/backend.ts'
import type { BrowserBackend } from '../backends/browser.ts'
import { absoluteSteps } from '../domain/login-steps.ts'
import { cookiesOfSites } from '../domain/session-cookies.ts'
import { failureOf } from './failures.ts'
import type { Fetching } from './fetch-page.ts'

type Ports = {
  render: BrowserBackend
  /** Decrypts a sealed text. */
  open: (sealed: string) => string
  seal: (text: string) => string
  maxBytes: number
  timeoutMs: number
}

const maxHops = 20
/** Maximum characters of all cookies: they travel with each message of orders. */
const maxSession = 64 * 1024

export const logIn = ({ render, open, seal, maxBytes, timeoutMs }: Ports): Fetching => ({
  async send(work, order, { headers, signal, session: _, ...listener }) {
    const { runId, projectId, userAgent, proxy, proxyPool } = work
    if (proxy !== undefined || proxyPool !== undefined) return { error: noProxy() }
    const steps = absoluteSteps(stepsOf(work, open), order.url)
    const [start] = steps
    // If the first step is a `goto`, the visit begins with its document.
    const first = start?.type === 'goto' ? 1 : 0
    const url = start?.url ?? new URL(order.url).href
    const { 'user-agent': named = userAgent, ...runHeaders } = headers
    const request = {
      ...{ workId: runId, projectId, url, maxHops, maxBytes, cuts: false, timeoutMs },
      runHeaders: url.startsWith(`${new URL(order.url).origin}/`) ? runHeaders : {},
      login: { list: 'login.steps', first },
      ...(named !== undefined && { userAgent: named }),
    }
    const by = { backend: 'browser', waitFor: 'load', picture: false, actions: steps.slice(first) } as const
    return render(request, by, { ...listener, maxBytes, signal })
  },

  async toResult(work, { key, attempt, url }, response) {
    const order = { runId: work.runId, key, attempt }
    const failed = (because: string) => ({ outcome: { type: 'login_failed' as const, ...order, because } })
    if ('error' in response) {
      if (response.error.code !== 'action_failed') return { outcome: failureOf(order, response.error) }
      const values = stepsOf(work, open).flatMap(({ value = '' }) => [value])
      return failed(withoutValues(response.error.message, values))
    }
    const { cookies = [] }: BackendPage = response.fetched
    const kept = cookiesOfSites(cookies, [work.scope.host, new URL(url).host])
    const session = JSON.stringify({ cookies: kept.map(cookieOf) } satisfies LoginSession)
    if (session.length > maxSession)
      return failed(`The login sets cookies of ${session.length} characters; at most ${maxSession} are kept.`)
    return { outcome: { type: 'logged_in', ...order, session: seal(session) } }
  },
})

/** Returns the decrypted steps, which the gateway has checked. */
const stepsOf = ({ login }: FetchOrders, open: Ports['open']): PageAction[] =>
  login === undefined ? [] : JSON.parse(open(login))

/** Returns the cookie without fields that only newer browsers have. */
const cookieOf = ({ name, value, domain, path, expires, ...rest }: SessionCookie): SessionCookie => {
  const { httpOnly, secure, sameSite } = rest
  return { name, value, domain, path, expires, httpOnly, secure, sameSite }
}

const noProxy = () => new FetchError('not_configured', { because: 'browsers do not use proxies' })
