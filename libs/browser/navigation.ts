/** Where a page goes: the answers on the way, the document in the end, and whether it is about to leave. */
import type { CDPSession, Page, Request, Response } from 'playwright-core'
import type { Hop } from './job.ts'
import { RenderError } from './render-error.ts'

const mostHops = 100
/** A refresh that is announced for later than that is not waited for. */
const soonSeconds = 5

export class Navigation {
  popups = 0
  /** The last main document that failed. */
  #failed: string | null = null
  #isLeaving = false
  #answers: Response[] = []
  #shown: Response | null = null
  #hops: Hop[] = []
  #moved = Promise.withResolvers<void>()
  readonly #page: Page
  readonly #mainFrame: string

  constructor(page: Page, cdp: CDPSession, mainFrame: string) {
    this.#page = page
    this.#mainFrame = mainFrame
    page.on('response', response => this.#isMain(response.request()) && this.#answers.push(response))
    page.on('requestfailed', request => this.#isMain(request) && this.#fail(request))
    page.on('framenavigated', frame => frame === page.mainFrame() && this.#commit())
    cdp.on('Page.downloadWillBegin', () => this.#settle())
    cdp.on('Page.windowOpen', () => void this.popups++)
    cdp.on('Page.frameRequestedNavigation', ({ frameId, url }) => this.#leave(frameId, url, 0))
    cdp.on('Page.frameScheduledNavigation', ({ frameId, url, delay }) => this.#leave(frameId, url, delay))
  }

  /** Whether the page is about to go elsewhere by itself. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Resolves when the page went elsewhere, or did not. */
  moved(): Promise<void> {
    return this.#moved.promise
  }

  /** @throws RenderError where what is shown is no document of the web */
  check(): void {
    if (this.#page.url().startsWith('chrome-error:'))
      throw RenderError.from(new Error(this.#failed ?? 'net::ERR_FAILED'))
  }

  /** Of the document that is shown now. */
  async outcome(): Promise<{ url: string; status: number; headers: Record<string, string>; hops: Hop[] }> {
    const shown = this.#shown
    // The browser may have forgotten the answer by now; what it told when it came is all but cookies.
    const headers = (await shown?.allHeaders().catch(() => shown.headers())) ?? {}
    return { url: this.#page.url(), status: shown?.status() ?? 0, headers, hops: this.#hops }
  }

  #isMain(request: Request): boolean {
    if (!request.isNavigationRequest()) return false
    try {
      return request.frame() === this.#page.mainFrame()
    } catch {
      return false // of a window that was closed
    }
  }

  #leave(frameId: string, url: string, delaySeconds: number): void {
    if (frameId === this.#mainFrame && /^https?:/.test(url) && delaySeconds <= soonSeconds)
      this.#isLeaving = true
  }

  /** The last answer is the document's; those before it led here. */
  #commit(): void {
    const last = this.#answers.pop()
    if (last) {
      const before = this.#shown ? [this.#shown, ...this.#answers] : this.#answers
      this.#hops.push(...before.map(response => ({ url: response.url(), status: response.status() })))
      this.#hops = this.#hops.slice(0, mostHops)
      this.#shown = last
      this.#answers = []
    }
    this.#settle()
  }

  #fail(request: Request): void {
    this.#failed = request.failure()?.errorText ?? null
    this.#settle()
  }

  #settle(): void {
    this.#isLeaving = false
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }
}
