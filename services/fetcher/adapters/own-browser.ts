/**
 * Runs the browser of this process. It is located, unpacked and started when the first page is rendered, not before.
 */
import type { BrowserPool, PoolEvent, PoolState } from '@tidemark/browser/pool'
import { FetchError } from '@tidemark/http/fetch-error'
import { counted, gauge } from '@tidemark/telemetry/metrics'
import type { Render } from '../backends/browser.ts'

export type OwnBrowser = AsyncDisposable & {
  /**
   * Returns the function that renders. @throws FetchError `not_configured` if no browser is installed or none starts
   */
  render(): Promise<Render>
  /** Returns whether a browser could be started. */
  isInstalled(): Promise<boolean>
}

type Options = {
  /** `auto`, `off` or a path. */
  setting: string
  home: string
  /** Concurrent pages. */
  size: number
  /** The only proxy through which the browser connects. */
  proxy: { server: string }
  report: (event: PoolEvent) => void
}

const maxAgeMs = 30 * 60_000
/** Maximum bytes of memory of one browser with all its processes. */
const maxRssBytes = 1024 ** 3
const root = 0

export function ownBrowser({ setting, home, size, proxy, report }: Options): OwnBrowser {
  let opening: Promise<BrowserPool> | null = null
  let state: BrowserPool['state'] | null = null

  async function open(): Promise<BrowserPool> {
    if (setting === 'off') throw missing('BROWSER is off')
    const executable = await find(setting, home)
    const { openBrowserPool } = await import('@tidemark/browser/pool')
    // Chromium refuses to use its own sandbox as root.
    const sandbox = process.getuid?.() !== root
    const opened = openBrowserPool({ executable, proxy, size, maxAgeMs, maxRssBytes, sandbox, report })
    state = opened.state.bind(opened)
    return opened
  }

  const pool = () => {
    opening ??= open().catch(error => {
      opening = null
      throw error
    })
    return opening
  }

  const measuring = new DisposableStack()
  measureBrowsers(measuring, () => state?.() ?? null)

  return {
    async render() {
      const opened = await pool()
      return job => opened.render(job)
    },
    isInstalled: async () => {
      if (setting === 'off') return false
      return find(setting, home).then(
        () => true,
        () => false,
      )
    },
    async [Symbol.asyncDispose]() {
      measuring.dispose()
      const opened = await opening?.catch(() => null)
      await opened?.[Symbol.asyncDispose]()
    },
  }
}

/** Registers the metrics of the browser. A process that has rendered nothing yet reports 0. */
function measureBrowsers(measuring: DisposableStack, stateNow: () => PoolState | null): void {
  measuring.use(
    gauge('tidemark.browser.pages', observe => {
      const { running = 0, waiting = 0 } = stateNow() ?? {}
      observe(running, { state: 'running' })
      observe(waiting, { state: 'waiting' })
    }),
  )
  measuring.use(
    gauge('tidemark.browser.memory.bytes', observe => {
      const { browsers = [] } = stateNow() ?? {}
      observe(
        browsers.reduce((sum, { bytes }) => sum + bytes, 0),
        {},
      )
    }),
  )
  measuring.use(
    counted('tidemark.browser.renders', observe => {
      const { rendered = 0, failed = 0, triedAgain = 0 } = stateNow()?.count ?? {}
      for (const [outcome, count] of Object.entries({ rendered, failed, tried_again: triedAgain }))
        observe(count, { outcome })
    }),
  )
  measuring.use(
    counted('tidemark.browser.starts', observe => {
      const { started = 0, died = 0 } = stateNow()?.count ?? {}
      for (const [event, count] of Object.entries({ started, died })) observe(count, { event })
    }),
  )
}

async function find(setting: string, home: string) {
  const { findBrowser } = await import('@tidemark/browser/executable')
  return findBrowser({ home, ...(setting !== 'auto' && { named: setting }) }).catch(cause => {
    throw missing(`BROWSER: ${cause instanceof Error ? cause.message.replace(/\.$/, '') : cause}`, cause)
  })
}

const missing = (because: string, cause?: unknown): FetchError =>
  new FetchError('not_configured', { because, cause })
