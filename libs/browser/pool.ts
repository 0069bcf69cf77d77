/**
 * Renders untrusted pages in a pool of browsers. A browser is started with the first job and kept warm, and replaced
 * because of its jobs, age or memory. Each job has its own context. A job ends at its deadline whatever its page
 * does. A browser that does not release the page within a second is killed with all its processes. A job whose page or
 * browser crashed is retried once in a new one, and again each time that its browser was killed for another page.
 */
import { Deadline } from './deadline.ts'
import { FairSlots } from './fair-slots.ts'
import { Fleet, type FleetEvent, type FleetOptions } from './fleet.ts'
import type { Rendered, RenderJob } from './job.ts'
import { RenderError } from './render-error.ts'
import type { RunningBrowser } from './running-browser.ts'
import { Visit } from './visit.ts'
import { answersWithin } from './within.ts'

export type PoolOptions = Omit<FleetOptions, 'maxJobs' | 'maxPageBytes' | 'report'> & {
  /** Default: 200. */
  maxJobs?: number
  /** Default: half of `maxRssBytes`. */
  maxPageBytes?: number
  /** Maximum number of waiting jobs; default 1,000. */
  maxWaiting?: number
  report: (event: PoolEvent) => void
}

export type PoolEvent = FleetEvent | { type: 'tried_again'; url: string }

export type PoolState = {
  running: number
  waiting: number
  /** `ahead`: prewarmed tabs without a job. */
  browsers: { pid: number; jobs: number; running: number; ahead: number; ageMs: number; bytes: number }[]
  /** Since the pool was opened. */
  count: { rendered: number; failed: number; triedAgain: number; started: number; died: number }
}

export type BrowserPool = AsyncDisposable & {
  /** Renders a page. @throws RenderError for every failure */
  render(job: RenderJob): Promise<Rendered>
  state(): PoolState
}

const letGoMs = 1_000
/** Maximum attempts of a job. A page may be in a browser that crashes once without being the cause. */
const maxAttempts = 2

/** Returns a pool, which starts no browser yet. Disposing it ends all browsers and running jobs. */
export function openBrowserPool(options: PoolOptions): BrowserPool {
  return new Pool(options)
}

class Pool implements BrowserPool {
  readonly #fleet: Fleet
  readonly #slots: FairSlots
  readonly #report: (event: PoolEvent) => void
  readonly #closing = new AbortController()
  readonly #count = { rendered: 0, failed: 0, triedAgain: 0 }
  /** Promises that resolve when a job has left its browser. */
  readonly #clearing = new Set<Promise<void>>()

  constructor(options: PoolOptions) {
    const { size, maxJobs = 200, maxWaiting = 1_000, maxRssBytes, maxPageBytes = maxRssBytes / 2 } = options
    this.#slots = new FairSlots(size, maxWaiting)
    this.#fleet = new Fleet({ ...options, maxJobs, maxPageBytes })
    this.#report = options.report
  }

  async render(job: RenderJob): Promise<Rendered> {
    using deadline = new Deadline(job.timeoutMs, job.signal, this.#closing.signal)
    try {
      checkUrl(job.url)
      const rendered = await this.#inSlot(job, deadline)
      this.#count.rendered++
      return rendered
    } catch (error) {
      this.#count.failed++
      throw RenderError.from(error)
    }
  }

  state(): PoolState {
    const browsers = this.#fleet.browsers.map(browser => {
      const { pid, jobs, running, ageMs } = browser
      return {
        pid,
        jobs,
        running,
        ahead: browser.tabs.ahead,
        ageMs,
        bytes: this.#fleet.watch.bytesOf(browser),
      }
    })
    const running = browsers.reduce((sum, browser) => sum + browser.running, 0)
    return {
      running,
      waiting: this.#slots.waiting,
      browsers,
      count: { ...this.#count, ...this.#fleet.count },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#fleet[Symbol.asyncDispose]()
    await Promise.all(this.#clearing)
  }

  /** Runs a job in a concurrency slot. The slot is released when the job has left its browser, after its result. */
  async #inSlot(job: RenderJob, deadline: Deadline): Promise<Rendered> {
    const giveBack = await this.#slots.take(job.client, deadline.signal).catch(error => {
      if (error instanceof RenderError && error.code === 'timeout')
        throw new RenderError('busy', { because: 'all browsers were busy' })
      throw error
    })
    let cleared: Promise<void> | undefined
    try {
      for (let crashes = 0; ; ) {
        const tried = await this.#attempt(job, deadline)
        cleared = tried.cleared
        if (!(tried.outcome instanceof RenderError)) return tried.outcome
        if (!tried.isBystander) crashes++
        // A form that was sent must not be sent again.
        const mayRepeat = !job.actions?.length && crashes < maxAttempts && !deadline.signal.aborted
        if (tried.outcome.code !== 'crashed' || !mayRepeat) throw tried.outcome
        this.#count.triedAgain++
        this.#report({ type: 'tried_again', url: job.url })
        await cleared
      }
    } finally {
      if (cleared) void cleared.finally(giveBack)
      else giveBack()
    }
  }

  async #attempt(job: RenderJob, deadline: Deadline) {
    const taking = this.#fleet.take()
    const browser = await deadline.first(taking).catch(error => {
      void taking.then(late => this.#fleet.giveBack(late, job.identity)).catch(() => {})
      throw error
    })
    const visit = new Visit(browser, job)
    const died = browser.died.then(() => Promise.reject(new RenderError('crashed')))
    const outcome = await deadline
      .first(visit.run(deadline.leftMs), visit.crashed, died)
      .catch(error => this.#explained(error, browser))
    // The cause of the crash may also have ended the prewarmed tabs.
    if (outcome instanceof RenderError && outcome.code === 'crashed') browser.tabs.drop()
    // A browser that was killed before this page has left it was killed for another page.
    const isBystander = browser.isKilled
    const cleared = this.#clear(browser, visit)
    this.#clearing.add(cleared)
    void cleared.finally(() => this.#clearing.delete(cleared))
    return { outcome, cleared, isBystander }
  }

  /** Returns the error of a job: `too_large` instead of `crashed` if a process was ended because of its memory. */
  #explained(thrown: unknown, browser: RunningBrowser): RenderError {
    const error = RenderError.from(thrown)
    if (error.code !== 'crashed' || !browser.isAlive || !this.#fleet.watch.wasRelieved(browser)) return error
    return new RenderError('too_large', { because: 'it exceeded the memory limit of a page', cause: error })
  }

  async #clear(browser: RunningBrowser, visit: Visit): Promise<void> {
    if (browser.isAlive && !(await answersWithin(letGoMs, visit.close())))
      await this.#fleet.kill(browser, 'it did not release a page')
    this.#fleet.giveBack(browser, visit.identity)
  }
}

/** @throws RenderError `bad_url` */
function checkUrl(url: string): void {
  const protocol = URL.parse(url)?.protocol ?? ''
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new RenderError('bad_url', { because: 'only http and https can be rendered' })
}
