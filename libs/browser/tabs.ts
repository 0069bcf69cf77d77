/**
 * Opens tabs, each a context and a page for one job. Opening one takes as long as loading a simple page. When jobs
 * repeat an identity, the next tabs are opened ahead: one for each finished job, at most the number of concurrent
 * jobs, and none after a period without use.
 */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { contextOptions, showIdentity } from './identity.ts'
import type { Identity } from './job.ts'

export type Tab = {
  context: BrowserContext
  page: Page
  /** A session that pauses every request until the caller continues it. */
  cdp: CDPSession
  /** Id of the page's main frame. */
  frameId: string
}

/** `key` identifies the identity of the tab. */
type Ahead = { key: string; tab: Promise<Tab> }

const idleMs = 30_000
/** Maximum number of recent identities that are kept. */
const maxRecent = 32

/** Script that runs before any script of a page, in each frame, and removes features that flags cannot disable. */
const takenAway = `
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel']) delete globalThis[name]
  globalThis.print = () => {}
`

export class Tabs {
  readonly #browser: Browser
  readonly #userAgent: string
  readonly #max: number
  readonly #idle: NodeJS.Timeout
  /** Keys of the identities of recent jobs, the latest last. */
  #recent: string[] = []
  /** Unused tabs, the oldest first. */
  #ahead: Ahead[] = []

  /**
   * @param userAgent default of jobs without one
   * @param max maximum number of unused tabs
   */
  constructor(browser: Browser, userAgent: string, max: number) {
    this.#browser = browser
    this.#userAgent = userAgent
    this.#max = max
    this.#idle = setTimeout(() => this.drop(), idleMs).unref()
  }

  /** Number of unused tabs. */
  get ahead(): number {
    return this.#ahead.length
  }

  /** Returns a tab with this identity. The caller closes its context. */
  async take(identity: Identity): Promise<Tab> {
    this.#idle.refresh()
    const key = this.#keyOf(identity)
    const ready = this.#ahead.find(one => one.key === key)
    if (ready) this.#forget(ready)
    const opened = await ready?.tab.catch(() => null)
    const tab = opened ?? (await this.#open(identity))
    if (identity.headers) await tab.context.setExtraHTTPHeaders(identity.headers)
    return tab
  }

  /** Opens a tab for a job with this identity if recent jobs had the same. */
  prepare(identity: Identity): void {
    const key = this.#keyOf(identity)
    const isExpected = this.#recent.includes(key)
    this.#recent = [...this.#recent.slice(1 - maxRecent), key]
    if (!isExpected) return
    const one: Ahead = { key, tab: this.#open(identity) }
    this.#ahead.push(one)
    one.tab.then(
      ({ page }) => page.once('crash', () => this.#discard(one)),
      () => this.#forget(one),
    )
    const [oldest] = this.#ahead
    if (oldest && this.#ahead.length > this.#max) this.#discard(oldest)
  }

  /** Closes unused tabs. */
  drop(): void {
    for (const one of this.#ahead) this.#discard(one)
  }

  stop(): void {
    clearTimeout(this.#idle)
    this.drop()
  }

  #forget(one: Ahead): boolean {
    const before = this.#ahead.length
    this.#ahead = this.#ahead.filter(other => other !== one)
    return this.#ahead.length < before
  }

  /** Closes a tab unless a job has taken it. */
  #discard(one: Ahead): void {
    if (this.#forget(one)) void one.tab.then(({ context }) => context.close()).catch(() => {})
  }

  #keyOf(identity: Identity): string {
    return JSON.stringify(contextOptions(identity, identity.userAgent ?? this.#userAgent))
  }

  async #open(identity: Identity): Promise<Tab> {
    const userAgent = identity.userAgent ?? this.#userAgent
    const context = await this.#browser.newContext(contextOptions(identity, userAgent))
    try {
      await context.addInitScript(takenAway)
      const page = await context.newPage()
      context.on('page', other => void other.close().catch(() => {}))
      const cdp = await context.newCDPSession(page)
      const [{ frameTree }] = await Promise.all([
        cdp.send('Page.getFrameTree'),
        cdp.send('Page.enable'),
        showIdentity(cdp, identity, userAgent),
        cdp.send('Fetch.enable', { handleAuthRequests: true }),
      ])
      return { context, page, cdp, frameId: frameTree.frame.id }
    } catch (error) {
      void context.close().catch(() => {})
      throw error
    }
  }
}
