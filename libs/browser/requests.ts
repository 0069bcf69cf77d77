/**
 * Intercepts every request of a page before it is sent: limits the number and kinds of requests, sets their headers,
 * and logs in to the proxy. The proxy decides which hosts are allowed.
 */
import type { CDPSession } from 'playwright-core'
import type { RenderJob } from './job.ts'

const limits = { navigations: 20, frames: 32 }
const usualRequests = 1_500
const schemes = new Set(['http:', 'https:', 'data:', 'blob:'])

type Paused = {
  requestId: string
  request: { url: string; headers: Record<string, string> }
  frameId: string
  resourceType: string
  redirectedRequestId?: string
}
type Challenged = { requestId: string; authChallenge: { source?: string } }

export class Requests {
  made = 0
  refused = 0
  /** Documents that the page itself navigated to, without redirects. */
  navigations = 0
  #frames = 0
  /** Maximum number of requests if the page exceeded it, else null. */
  exceeded: number | null = null
  readonly #overrun = Promise.withResolvers<void>()
  readonly #cdp: CDPSession
  readonly #mainFrame: string
  readonly #job: RenderJob
  readonly #blocked: Set<string>
  readonly #max: number
  /**
   * Names that `headersFor` returned for a request or the redirects to it, by the id of the request. The protocol
   * promises that redirects do not repeat them, but a browser that does must not send a secret to another site.
   */
  readonly #added = new Map<string, ReadonlySet<string>>()
  readonly #answered = new Set<string>()

  /** @param cdp session whose requests are already paused */
  constructor(cdp: CDPSession, mainFrame: string, job: RenderJob) {
    this.#cdp = cdp
    this.#mainFrame = mainFrame
    this.#job = job
    this.#blocked = new Set<string>(job.block)
    this.#max = job.maxRequests ?? usualRequests
    // Chromium has one kind, `xhr`, for `fetch` and XMLHttpRequest.
    if (this.#blocked.has('fetch')) this.#blocked.add('xhr')
    cdp.on('Fetch.requestPaused', paused => this.#judge(paused))
    cdp.on('Fetch.authRequired', challenged => this.#logIn(challenged))
  }

  /** Resolves when the page exceeds its number of requests. */
  get overrun(): Promise<void> {
    return this.#overrun.promise
  }

  #judge(paused: Paused): void {
    const { requestId } = paused
    this.made++
    if (this.#mayLeave(paused)) {
      const headers = this.#headersOf(paused)
      this.#send('Fetch.continueRequest', { requestId, ...(headers && { headers }) })
      return
    }
    this.refused++
    // Each refusal costs work too, so loading is stopped for a page that keeps requesting, and the page is read as it
    // is.
    if (this.made === this.#max + 1) {
      this.#send('Emulation.setScriptExecutionDisabled', { value: true })
      this.#send('Page.setWebLifecycleState', { state: 'frozen' })
      this.exceeded = this.#max
      this.#overrun.resolve()
    }
    // With another refusal, Chromium would show an error instead of the page.
    const errorReason = paused.resourceType === 'Document' ? 'Aborted' : 'BlockedByClient'
    this.#send('Fetch.failRequest', { requestId, errorReason })
  }

  #mayLeave({ request, resourceType, frameId, redirectedRequestId }: Paused): boolean {
    if (this.made > this.#max || !schemes.has(URL.parse(request.url)?.protocol ?? '')) return false
    if (resourceType !== 'Document') return !this.#blocked.has(resourceType.toLowerCase())
    if (redirectedRequestId) return true
    if (frameId === this.#mainFrame) return ++this.navigations <= limits.navigations
    return ++this.#frames <= limits.frames
  }

  /**
   * Returns all headers of a request if some are added or removed, else null. Removes those that `headersFor` added
   * before a redirect. The page's own headers stay, except those that `headersFor` replaces.
   */
  #headersOf(paused: Paused): { name: string; value: string }[] | null {
    const { requestId, request, resourceType, frameId, redirectedRequestId = '' } = paused
    const url = URL.parse(request.url)
    const isMain = resourceType === 'Document' && frameId === this.#mainFrame
    const own = url && this.#job.headersFor ? Object.entries(this.#job.headersFor(url, isMain)) : []
    const added = new Set(this.#added.get(redirectedRequestId))
    for (const [name] of own) added.add(name.toLowerCase())
    if (added.size === 0) return null
    this.#added.set(requestId, added)
    const present = Object.entries(request.headers)
    const others = present.filter(([name]) => !added.has(name.toLowerCase()))
    if (own.length === 0 && others.length === present.length) return null
    return [...others, ...own].map(([name, value]) => ({ name, value }))
  }

  /** Logs in to the proxy, once per request: a repeated challenge means a wrong login. Never logs in to a site. */
  #logIn({ requestId, authChallenge }: Challenged): void {
    const { proxyLogin } = this.#job
    const isKnown = authChallenge.source === 'Proxy' && proxyLogin && !this.#answered.has(requestId)
    this.#answered.add(requestId)
    const authChallengeResponse = isKnown
      ? { response: 'ProvideCredentials' as const, ...proxyLogin }
      : { response: 'CancelAuth' as const }
    this.#send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
  }

  /** Sends a command, and ignores its failure: a request of a closed page needs no response. */
  #send(...command: Parameters<CDPSession['send']>): void {
    this.#cdp.send(...command).catch(() => {})
  }
}
