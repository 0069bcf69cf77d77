/** Runs one job in a browser: opens a tab for it, renders the page, and closes the tab. */
import type { Page } from 'playwright-core'
import { act } from './actions.ts'
import { describePage } from './describe-page.ts'
import { readDocument } from './document.ts'
import type { Identity, Rendered, RenderJob } from './job.ts'
import { Navigation } from './navigation.ts'
import { takePicture } from './picture.ts'
import { RenderError } from './render-error.ts'
import { Requests } from './requests.ts'
import type { RunningBrowser } from './running-browser.ts'
import { settle, waitMsWithin } from './settle.ts'
import type { Tab } from './tabs.ts'

/** Maximum milliseconds for which actions wait for the awaited state of the page. */
const maxBeforeActionsMs = 10_000

export class Visit {
  readonly #crash = Promise.withResolvers<never>()
  readonly #browser: RunningBrowser
  readonly #job: RenderJob
  #tab: Promise<Tab> | undefined

  constructor(browser: RunningBrowser, job: RenderJob) {
    this.#browser = browser
    this.#job = job
  }

  /** Rejects when the page's process ends before its job. */
  get crashed(): Promise<never> {
    return this.#crash.promise
  }

  /**
   * Renders the page.
   * @param leftMs milliseconds until the job's deadline, which the caller enforces
   */
  async run(leftMs: number): Promise<Rendered> {
    const until = Date.now() + waitMsWithin(leftMs)
    const { page, cdp, frameId } = await this.#open()
    const navigation = new Navigation(page, cdp, frameId)
    const requests = new Requests(cdp, frameId, this.#job)
    await this.#go(page, navigation)

    const { maxHtmlBytes, waitFor, mayLeadOn: waitMsFor } = this.#job
    const arrivedAt = Date.now()
    const mayLeadOn = async (html: string) => {
      if (waitMsFor === undefined || Date.now() >= until) return false
      const { status, headers } = await navigation.outcome()
      const forMs = await waitMsFor({ status, headers, html, served: () => navigation.served() })
      return Date.now() < arrivedAt + forMs
    }
    const read = () => readDocument(cdp, frameId, maxHtmlBytes)
    const stop = () => cdp.send('Page.stopLoading')
    const { actions = [] } = this.#job
    const settled = (stateMs?: number) =>
      settle(page, navigation, { waitFor, stateMs, until, read, mayLeadOn, stop, over: requests.overrun })
    // Each action waits for its own element, so an image that never arrives does not use up their time.
    let { document, unreached } = await settled(actions.length > 0 ? maxBeforeActionsMs : undefined)
    const none = { picture: null, pictureCut: null }
    const taken: Awaited<ReturnType<typeof takePicture>>[] = []
    if (actions.length > 0) {
      const onPicture = async () => void taken.push(await takePicture(cdp, frameId, this.#job))
      await act(actions, { page, navigation, until, onPicture, ...this.#naming({ cdp, frameId }) })
      ;({ document, unreached } = await settled())
    }
    const outcome = await navigation.outcome()
    const picture = this.#job.picture ? (taken[0] ?? (await takePicture(cdp, frameId, this.#job))) : none
    // The page may have navigated away after it was read.
    navigation.check()
    return {
      ...outcome,
      html: document,
      ...picture,
      unreached,
      requests: { made: requests.made, refused: requests.refused },
      exceededRequests: requests.exceeded,
      popups: navigation.popups,
      ...(this.#job.login && { cookies: await page.context().cookies() }),
    }
  }

  /** Returns the names and the page description for errors of actions. Errors outside of a login have no description. */
  #naming({ cdp, frameId }: Pick<Tab, 'cdp' | 'frameId'>) {
    const { list, first } = this.#job.login ?? { list: 'actions', first: 0 }
    const values = (this.#job.actions ?? []).flatMap(action => (action.type === 'fill' ? [action.value] : []))
    const describe = async () => (this.#job.login ? describePage(cdp, frameId, values) : '')
    return { nameOf: (at: number) => `${list}[${first + at}]`, describe }
  }

  get identity(): Identity {
    return this.#job.identity
  }

  /** Closes what was opened. Does not resolve if the browser does not respond. */
  async close(): Promise<void> {
    const tab = await this.#tab?.catch(() => undefined)
    await tab?.context.close()
  }

  async #open(): Promise<Tab> {
    this.#tab = this.#browser.tabs.take(this.#job.identity)
    const tab = await this.#tab
    tab.page.on('crash', () => this.#crash.reject(new RenderError('crashed')))
    if (this.#job.cookies) await tab.context.addCookies([...this.#job.cookies])
    return tab
  }

  /** Navigates until the first document arrives. `settle` waits for later navigation. */
  async #go(page: Page, navigation: Navigation): Promise<void> {
    try {
      await page.goto(this.#job.url, { waitUntil: 'commit', timeout: 0 })
    } catch (error) {
      navigation.check()
      const isInterrupted = /interrupted by another navigation/.test(String(error))
      if (!isInterrupted) throw RenderError.from(error)
    }
  }
}
