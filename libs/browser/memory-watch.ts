/**
 * Monitors the memory of the browsers. The process of a page above its limit is ended, so that its job fails and the
 * others continue; the total decides when a browser is replaced.
 */
import type { RunningBrowser } from './running-browser.ts'

const everyMs = 250
/** Milliseconds after a process was ended in which a crash is attributed to that. */
const relievedMs = 3_000

export type Relieved = { type: 'relieved'; pid: number; bytes: number }

export class MemoryWatch {
  readonly #browsers: ReadonlySet<RunningBrowser>
  readonly #maxPageBytes: number
  readonly #report: (event: Relieved) => void
  readonly #bytes = new WeakMap<RunningBrowser, number>()
  readonly #timer: NodeJS.Timeout

  /** @param browsers the monitored browsers; may change */
  constructor(
    browsers: ReadonlySet<RunningBrowser>,
    { maxPageBytes, report }: { maxPageBytes: number; report: (event: Relieved) => void },
  ) {
    this.#browsers = browsers
    this.#maxPageBytes = maxPageBytes
    this.#report = report
    this.#timer = setInterval(() => this.#check(), everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Returns the memory in bytes at the last check while the browser had jobs. */
  bytesOf(browser: RunningBrowser): number {
    return this.#bytes.get(browser) ?? 0
  }

  /** Returns whether a process of the browser was recently ended because of its memory. */
  wasRelieved(browser: RunningBrowser): boolean {
    return Date.now() - browser.relievedAt < relievedMs
  }

  #check(): void {
    for (const browser of this.#browsers) {
      if (browser.running === 0) continue
      const { total, largest } = browser.memory()
      this.#bytes.set(browser, total)
      if (largest.bytes <= this.#maxPageBytes) continue
      browser.relieve(largest.pid)
      this.#report({ type: 'relieved', pid: browser.pid, bytes: largest.bytes })
    }
  }
}
