/**
 * Every request of a page before it leaves: whether it may, what it carries, and the login at the proxy. The proxy
 * decides where one may go; here is only what a page may ask for at all.
 */
import type { CDPSession } from 'playwright-core'
import type { RenderJob } from './job.ts'

const most = { navigations: 20, frames: 32, requests: 1_500 }
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
  /** Documents that the page itself went to, without redirects. */
  navigations = 0
  #frames = 0
  /** Resolves when the page asked for more than it may. */
  readonly overrun: Promise<void>
  readonly #overrun: () => void
  readonly #cdp: CDPSession
  readonly #mainFrame: string
  readonly #job: RenderJob
  readonly #blocked: Set<string>
  /** Names that `headersFor` ever gave: what is carried over a redirect is taken off first. */
  readonly #given = new Set<string>()
  readonly #answered = new Set<string>()

  /** @param cdp where requests are stopped already */
  constructor(cdp: CDPSession, mainFrame: string, job: RenderJob) {
    this.#cdp = cdp
    this.#mainFrame = mainFrame
    this.#job = job
    this.#blocked = new Set<string>(job.block)
    // Chromium has one kind for both.
    if (this.#blocked.has('fetch')) this.#blocked.add('xhr')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.overrun = promise
    this.#overrun = resolve
    cdp.on('Fetch.requestPaused', paused => this.#judge(paused))
    cdp.on('Fetch.authRequired', challenged => this.#logIn(challenged))
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
    // Each refusal is work too: a page that goes on asking is made to stand still, and read as it is.
    if (this.made === most.requests + 1) {
      this.#send('Emulation.setScriptExecutionDisabled', { value: true })
      this.#send('Page.setWebLifecycleState', { state: 'frozen' })
      this.#overrun()
    }
    // A document that is refused in another way would be shown as an error in place of the page.
    const errorReason = paused.resourceType === 'Document' ? 'Aborted' : 'BlockedByClient'
    this.#send('Fetch.failRequest', { requestId, errorReason })
  }

  #mayLeave({ request, resourceType, frameId, redirectedRequestId }: Paused): boolean {
    if (this.made > most.requests || !schemes.has(URL.parse(request.url)?.protocol ?? '')) return false
    if (resourceType !== 'Document') return !this.#blocked.has(resourceType.toLowerCase())
    if (redirectedRequestId) return true
    if (frameId === this.#mainFrame) return ++this.navigations <= most.navigations
    return ++this.#frames <= most.frames
  }

  /** All of a request's headers where some are to be added or taken off, else null. */
  #headersOf({ request }: Paused): { name: string; value: string }[] | null {
    const url = URL.parse(request.url)
    const own = url && this.#job.headersFor ? Object.entries(this.#job.headersFor(url)) : []
    for (const [name] of own) this.#given.add(name.toLowerCase())
    if (this.#given.size === 0) return null
    const others = Object.entries(request.headers).filter(([name]) => !this.#given.has(name.toLowerCase()))
    return [...others, ...own].map(([name, value]) => ({ name, value }))
  }

  /** Once a request; what is asked for again was wrong. A site's own login is not ours to know. */
  #logIn({ requestId, authChallenge }: Challenged): void {
    const { proxyLogin } = this.#job
    const isKnown = authChallenge.source === 'Proxy' && proxyLogin && !this.#answered.has(requestId)
    this.#answered.add(requestId)
    const authChallengeResponse = isKnown
      ? { response: 'ProvideCredentials' as const, ...proxyLogin }
      : { response: 'CancelAuth' as const }
    this.#send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
  }

  /** A request whose page is gone needs no answer. */
  #send(...command: Parameters<CDPSession['send']>): void {
    this.#cdp.send(...command).catch(() => {})
  }
}
