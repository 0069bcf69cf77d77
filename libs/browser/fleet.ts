/**
 * Manages the running browsers: one takes new jobs, older ones end with their last job. The first starts on demand.
 */
import type { LaunchSettings } from './flags.ts'
import type { Identity } from './job.ts'
import { MemoryWatch, type Relieved } from './memory-watch.ts'
import { sweepFolders } from './profile-folders.ts'
import { RenderError } from './render-error.ts'
import { RunningBrowser } from './running-browser.ts'

export type FleetOptions = Omit<LaunchSettings, 'folder'> & {
  /** Limits of age, jobs and memory, above which a browser takes no new job. */
  maxAgeMs: number
  maxJobs: number
  maxRssBytes: number
  /** Maximum memory of the process of one page in bytes. A process above it is ended. */
  maxPageBytes: number
  report: (event: FleetEvent) => void
}

type Because = 'jobs' | 'age' | 'memory'

export type FleetEvent =
  | { type: 'started'; pid: number; startedMs: number }
  | { type: 'retired'; pid: number; because: Because }
  | { type: 'died'; pid: number; running: number }
  | { type: 'killed'; pid: number; because: string }
  | Relieved

export class Fleet implements AsyncDisposable {
  readonly count = { started: 0, died: 0 }
  readonly watch: MemoryWatch
  readonly #options: FleetOptions
  readonly #alive = new Set<RunningBrowser>()
  #taking: RunningBrowser | null = null
  #starting: Promise<RunningBrowser> | null = null

  constructor(options: FleetOptions) {
    this.#options = options
    this.watch = new MemoryWatch(this.#alive, options)
  }

  get browsers(): RunningBrowser[] {
    return [...this.#alive]
  }

  /** Returns a browser for a new job, which must be released. @throws RenderError `browser` */
  async take(): Promise<RunningBrowser> {
    this.#replace()
    this.#starting ??= this.#taking ? null : this.#start()
    const browser = this.#taking ?? (await this.#starting)
    if (!browser) throw new RenderError('browser')
    browser.jobs++
    browser.running++
    return browser
  }

  /**
   * Releases a browser after a job has left it.
   * @param identity of that job, because the next job most likely has the same
   */
  giveBack(browser: RunningBrowser, identity: Identity): void {
    browser.running--
    this.#replace()
    if (browser === this.#taking) browser.tabs.prepare(identity)
    else if (browser.running === 0) void browser.end()
  }

  /** Kills an unresponsive browser and all its jobs. */
  async kill(browser: RunningBrowser, because: string): Promise<void> {
    this.#options.report({ type: 'killed', pid: browser.pid, because })
    await browser.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.watch.stop()
    await this.#starting?.catch(() => {})
    await Promise.all(this.browsers.map(browser => browser.end()))
  }

  async #start(): Promise<RunningBrowser> {
    const since = Date.now()
    try {
      if (this.count.started === 0) await sweepFolders()
      const browser = await RunningBrowser.start(this.#options)
      this.count.started++
      this.#alive.add(browser)
      this.#taking = browser
      void browser.died.then(() => this.#bury(browser))
      this.#options.report({ type: 'started', pid: browser.pid, startedMs: Date.now() - since })
      return browser
    } catch (error) {
      throw new RenderError('browser', { because: String(error).slice(0, 500), cause: error })
    } finally {
      this.#starting = null
    }
  }

  /** Retires the browser if a limit is exceeded. */
  #replace(): void {
    if (!this.#taking?.isAlive) this.#taking = null
    const browser = this.#taking
    const because = browser && this.#due(browser)
    if (!browser || !because) return
    this.#taking = null
    browser.tabs.drop()
    this.#options.report({ type: 'retired', pid: browser.pid, because })
    if (browser.running === 0) void browser.end()
  }

  #due(browser: RunningBrowser): Because | null {
    const { maxJobs, maxAgeMs, maxRssBytes } = this.#options
    if (browser.jobs >= maxJobs) return 'jobs'
    if (browser.ageMs > maxAgeMs) return 'age'
    return this.watch.bytesOf(browser) > maxRssBytes ? 'memory' : null
  }

  async #bury(browser: RunningBrowser): Promise<void> {
    if (this.#taking === browser) this.#taking = null
    if (browser.running > 0 && !browser.isEnding) {
      this.count.died++
      this.#options.report({ type: 'died', pid: browser.pid, running: browser.running })
    }
    await browser.end()
    this.#alive.delete(browser)
  }
}
