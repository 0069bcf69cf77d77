/**
 * Starts, measures and ends one Chromium. It has its own process session. If it does not exit within a second, the
 * whole session is killed. If our process is killed, the control pipe closes and the browser exits.
 */
import fs from 'node:fs/promises'
import { type Browser, chromium } from 'playwright-core'
import { type LaunchSettings, launchOptions } from './flags.ts'
import { killSession, memoryOf, processesOf, sessionOf, signal } from './processes.ts'
import { ownFolder, recordProfile } from './profile-folders.ts'
import { Tabs } from './tabs.ts'
import { answersWithin } from './within.ts'

const politeMs = 1_000
const closeTimeoutMs = 5_000

export class RunningBrowser {
  readonly playwright: Browser
  readonly tabs: Tabs
  readonly pid: number
  /** The session of all its processes, and of a script that started it and waits for its end. */
  readonly #session: number
  readonly startedAt = Date.now()
  /** Settles when the browser has ended, for any cause. */
  readonly died: Promise<void>
  /** Jobs that were begun. */
  jobs = 0
  /** Jobs in progress. */
  running = 0
  /** Time in ms since 1970 when a page was last killed for its memory; 0: never. */
  relievedAt = 0
  /** Whether it was killed because it did not close a page. */
  isKilled = false
  #folder: string
  #ending: Promise<void> | undefined

  private constructor(playwright: Browser, pid: number, tabs: Tabs, folder: string) {
    this.playwright = playwright
    this.pid = pid
    this.#session = sessionOf(pid)
    this.tabs = tabs
    this.#folder = folder
    this.died = new Promise(resolve => playwright.once('disconnected', () => resolve()))
  }

  static async start(settings: Omit<LaunchSettings, 'folder'>): Promise<RunningBrowser> {
    const folder = await ownFolder()
    let playwright: Browser | undefined
    try {
      playwright = await chromium.launch(launchOptions({ ...settings, folder }))
      const session = await playwright.newBrowserCDPSession()
      const [{ processInfo }, { userAgent }] = await Promise.all([
        session.send('SystemInfo.getProcessInfo'),
        session.send('Browser.getVersion'),
      ])
      const pid = processInfo.find(({ type }) => type === 'browser')?.id ?? 0
      await recordProfile(folder, pid)
      const tabs = new Tabs(playwright, userAgent.replace('HeadlessChrome', 'Chrome'), settings.size)
      return new RunningBrowser(playwright, pid, tabs, folder)
    } catch (error) {
      if (playwright) await answersWithin(closeTimeoutMs, playwright.close())
      await fs.rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  get isAlive(): boolean {
    return this.#ending === undefined && this.playwright.isConnected()
  }

  /** Whether `end` or `kill` was called. */
  get isEnding(): boolean {
    return this.#ending !== undefined
  }

  get ageMs(): number {
    return Date.now() - this.startedAt
  }

  /** Returns the memory of all its processes in bytes, and the largest process except the browser's own. */
  memory(): { total: number; largest: { pid: number; bytes: number } } {
    const held = processesOf(this.#session).map(({ pid }) => ({ pid, bytes: memoryOf(pid) }))
    const largest = held
      .filter(({ pid }) => pid !== this.pid)
      .reduce((max, one) => (one.bytes > max.bytes ? one : max), { pid: 0, bytes: 0 })
    return { total: held.reduce((sum, { bytes }) => sum + bytes, 0), largest }
  }

  /** Kills the process of one page, so that the others live. */
  relieve(pid: number): void {
    this.relievedAt = Date.now()
    signal(pid)
  }

  /** Kills the browser at once with all its child processes. */
  kill(): Promise<void> {
    this.isKilled = true
    killSession(this.#session)
    return this.end()
  }

  /** Ends the browser: first gracefully, then by killing. Resolves when none of its processes runs. */
  end(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  async #end(): Promise<void> {
    this.tabs.stop()
    await answersWithin(politeMs, this.playwright.close())
    const isLeft = () => processesOf(this.#session).some(({ state }) => state !== 'Z')
    for (const end = Date.now() + closeTimeoutMs; isLeft() && Date.now() < end; ) {
      killSession(this.#session)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    await fs.rm(this.#folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}
