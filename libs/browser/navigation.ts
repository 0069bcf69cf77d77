/** Tracks the navigation of a page: its responses, its current document, and whether it is about to navigate away. */
import type { CDPSession, Page, Request, Response } from 'playwright-core'
import type { Hop } from './job.ts'
import { RenderError } from './render-error.ts'
import { valueWithin } from './within.ts'

const maxHops = 100
/** Maximum delay in seconds of a refresh that is awaited. */
const soonSeconds = 5
/** Milliseconds to wait for the source of a document that is still loading. */
const sourceMs = 1_000

export class Navigation {
  popups = 0
  /** The error of the last main document that failed to load. */
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

  /** Whether the page is about to navigate by itself. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Resolves when the next navigation ends, with or without a new document. */
  moved(): Promise<void> {
    return this.#moved.promise
  }

  /** @throws RenderError if the current document is the browser's own error page */
  check(): void {
    if (this.#page.url().startsWith('chrome-error:'))
      throw RenderError.from(new Error(this.#failed ?? 'net::ERR_FAILED'))
  }

  /** Returns URL, status and headers of the current document, and the earlier responses. */
  async outcome(): Promise<{ url: string; status: number; headers: Record<string, string>; hops: Hop[] }> {
    const shown = this.#shown
    // The browser may have dropped the response. The headers recorded on arrival lack only cookies.
    const headers = (await shown?.allHeaders().catch(() => shown.headers())) ?? {}
    return { url: this.#page.url(), status: shown?.status() ?? 0, headers, hops: this.#hops }
  }

  /** Returns the source of the current document, or the empty string if it does not arrive soon. */
  async served(): Promise<string> {
    const source = this.#shown?.text() ?? Promise.resolve('')
    return valueWithin(sourceMs, source, '')
  }

  #isMain(request: Request): boolean {
    if (!request.isNavigationRequest()) return false
    try {
      return request.frame() === this.#page.mainFrame()
    } catch {
      return false // the window of the request is closed
    }
  }

  #leave(frameId: string, url: string, delaySeconds: number): void {
    if (frameId === this.#mainFrame && /^https?:/.test(url) && delaySeconds <= soonSeconds)
      this.#isLeaving = true
  }

  /** Records a new document. The last response belongs to it, and the earlier ones led to it. */
  #commit(): void {
    const last = this.#answers.pop()
    if (last) {
      const before = this.#shown ? [this.#shown, ...this.#answers] : this.#answers
      this.#hops.push(...before.map(response => ({ url: response.url(), status: response.status() })))
      this.#hops = this.#hops.slice(0, maxHops)
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
