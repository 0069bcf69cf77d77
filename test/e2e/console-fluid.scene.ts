/** A fake of the API with one large crawl, and a count of the long tasks of a page (W3C Long Tasks API). */
import type { Page } from 'playwright-core'

/** The id of the crawl. No crawl of a test has it. */
export const largeRun = 9_000_001

const words = ['harbour', 'tide', 'quay', 'light', 'gauge', 'pier', 'buoy', 'isle', 'firth', 'skerry']
const wordAt = (n: number): string => words[n % words.length] as string

const pageAt = (n: number) => ({
  id: n + 1,
  url: `https://large.example/${wordAt(n * 7)}/${wordAt(n * 3)}-${(n * 7919) % 100_003}/page-${n}?part=${n % 17}`,
  status: n % 50 === 0 ? 404 : 200,
  bytes: 1000 + ((n * 977) % 90_000),
  fetched_at: new Date(Date.UTC(2026, 0, 2) + n * 40).toISOString(),
  title: `${wordAt(n)} and ${wordAt(n * 3)} of page ${(n * 613) % 99_991}`,
  depth: n % 9,
  inlinks: (n * 31) % 400,
})

const run = (pages: number) => ({
  ...{ id: largeRun, url: 'https://large.example/', status: 'done', page_count: pages, error_count: 0 },
  ...{ enqueued_at: '2026-01-02T00:00:00Z', started_at: '2026-01-02T00:00:00Z', paused_at: null },
  ...{
    finished_at: '2026-01-02T02:00:00Z',
    error_message: null,
    error_reason: null,
    stop_reason: 'exhausted',
  },
  ...{ proxy_url: null, ai_bot_policy: null, llms_txt: null, llms_full_txt: null, webhook_status: null },
  ...{ webhook_attempts: 0, webhook_last_error: null, previous_run_id: null },
})

/** Links of a page to pages near it and to the first ones, as menus have. */
const linksOf = (n: number, pages: number) =>
  [0, 1, 2, n + 1, n * 2 + 1, n * 3 + 7].map(to => ({
    from_page_id: n + 1,
    to_url: pageAt(to % pages).url,
    anchor: wordAt(to),
    rel: '',
    kind: 'link',
  }))

/** Answers the requests of the console for `largeRun` with a crawl of this size. */
export async function standInLargeRun(page: Page, pages: number): Promise<void> {
  const all = Array.from({ length: pages }, (_, n) => pageAt(n))
  const links = all.flatMap((_, n) => linksOf(n, pages))
  await page.route(`**/console/api/v1/crawls/${largeRun}**`, async route => {
    const { pathname, searchParams } = new URL(route.request().url())
    const [part = ''] = pathname.split(`/${largeRun}`).slice(1)
    const [offset, limit] = ['offset', 'limit'].map(name => Number(searchParams.get(name) ?? 0)) as [
      number,
      number,
    ]
    const list = (items: readonly unknown[]) => ({
      items: items.slice(offset, offset + limit),
      next_offset: offset + limit < items.length ? offset + limit : null,
    })
    if (part === '') return route.fulfill({ json: run(pages) })
    if (part === '/pages') return route.fulfill({ json: list(all) })
    if (part === '/links') return route.fulfill({ json: list(links) })
    return route.fulfill({ json: { items: [], next_offset: null } })
  })
}

/**
 * Watches the tasks of the main thread of a page. A task of 50 ms or more delays the next frame (W3C Long Tasks API). A
 * busy machine interrupts tasks, so the time on the processor is measured as well.
 */
export async function watchTasks(page: Page) {
  await page.addInitScript(`
    window.observedMs = []
    new PerformanceObserver(list => window.observedMs.push(...list.getEntries().map(({ duration }) => Math.round(duration))))
      .observe({ type: 'longtask', buffered: true })`)
  const browser = page.context().browser()
  return {
    /**
     * Returns the longest task during the work, in milliseconds of processor time, and the long tasks that the observer
     * saw, in milliseconds of wall time.
     */
    async during(work: () => Promise<unknown>): Promise<{ maxTaskMs: number; observedMs: number[] }> {
      await page.evaluate('window.observedMs?.splice(0)')
      await browser?.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
      await work()
      const observedMs = await page.evaluate<number[]>(
        'new Promise(done => setTimeout(() => done(window.observedMs.splice(0)), 100))',
      )
      const trace = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: TraceEvent[] }
      return { maxTaskMs: maxTaskOf(trace.traceEvents), observedMs }
    },
  }
}

/** `tdur` is the time on the processor, in microseconds. */
type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } }

function maxTaskOf(events: readonly TraceEvent[]): number {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = events.filter(({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid} ${tid}`))
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000))
}
