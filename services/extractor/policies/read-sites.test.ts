/** The sites of runs: read once when a run may, with its delay, and recorded once despite failures. */

import { publish } from '@tidemark/bus/publish'
import { serve } from '@tidemark/bus/rpc'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import type { RunSiteCommit } from '@tidemark/contracts/run-site'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { defaultSettings } from '@tidemark/testing/run-settings'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { startScene } from '../extractor.scene.ts'

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const llms = `# Site\n${'- [Tides](/tides)\n'.repeat(5_000)}`
const robots = 'User-agent: GPTBot\nDisallow: /\n'
const texts: Record<string, string> = { '/robots.txt': robots, '/llms.txt': llms }

test('The sites of runs', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const { bus, pool } = scene
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const requested: FetchNow[] = []

  let lastRun = 0
  const originOf = (run: number) => `http://site-${run}.test`
  let lastSequence = 0
  const append = async (run: number, ...events: object[]) => {
    const payload = JSON.stringify({ at: new Date().toISOString(), trace, events })
    lastSequence = (await publish(bus, subjects.run(run), payload)).sequence
  }
  const begin = async (more: object = {}, ...events: object[]) => {
    const run = ++lastRun
    const data = {
      runId: run,
      projectId: 7,
      tier: 'pro',
      url: originOf(run),
      settings: { ...defaultSettings, ...more },
    }
    const scope = { host: `site-${run}.test`, subdomains: false }
    await append(run, { type: 'RunQueued', data }, { type: 'RunStarted', data: { scope } }, ...events)
    return run
  }
  const read = (run: number, more: object = {}) => ({
    type: 'RobotsRead',
    data: {
      origin: originOf(run),
      status: 200,
      verdict: 'rules',
      group: { rules: [], crawlDelay: null },
      bodyHash: null,
      ...more,
    },
  })
  const finished = {
    type: 'RunFinished',
    data: {
      status: 'done',
      stopReason: 'exhausted',
      errorMessage: null,
      totals: { discovered: 0, fetched: 0, failed: 0, skipped: 0, duplicate: 0, notReached: 0, pending: 0 },
    },
  }
  const commitsOf = async (run: number): Promise<RunSiteCommit[]> => {
    const query = { seq: 1, next_by_subj: subjects.run(run, 'site') }
    const all: RunSiteCommit[] = []
    for (;;) {
      const message = await bus.jsm.direct.getMessage(streams.runs, query)
      if (message === null) return all
      all.push(message.json<RunSiteCommit>())
      query.seq = message.seq + 1
    }
  }
  const rows = async () => (await pool.query('select run_id from content.site_reading')).rowCount
  /** Everything is read, and no task is left. */
  const settled = () => until(async () => (await reached()) >= lastSequence && (await rows()) === 0)
  const reached = async () =>
    (await pool.query<{ sequence: number }>('select max(sequence)::int as sequence from content.checkpoint'))
      .rows[0]?.sequence ?? 0
  const requestedOf = (run: number) => requested.filter(({ url }) => url.startsWith(`${originOf(run)}/`))
  const pathsOf = (run: number) => requestedOf(run).map(({ url }) => new URL(url).pathname)

  const end = await scene.start()

  await t.test('wait for a fetcher', async t => {
    const run = await begin({}, read(1, { group: { rules: [], crawlDelay: 1.5 } }))
    await until(async () => (await rows()) === 1)
    const serving = { signal: stop.signal }
    void serve(
      bus,
      fetchRpc.fetchNow,
      async request => {
        requested.push(request)
        const body = texts[new URL(request.url).pathname]
        const header: FetchedNow = {
          ...{ is: 'fetched', url: request.url, status: body === undefined ? 404 : 200, hops: [] },
          ...{ contentType: 'text/plain', robotsHeader: null, headers: {}, encodings: [] },
          ...{ bulkyKey: null, elapsedMs: 1 },
        }
        return { header, blobs: [Buffer.from(body ?? '')] }
      },
      { ...serving, report: () => {} },
    )
    await settled()
    const [commit, ...more] = await commitsOf(run)
    t.equal(more.length, 0)
    t.equal(commit?.trace, trace)
    const [event] = commit?.events ?? []
    t.match(event, {
      type: 'SitePolicyRead',
      data: { origin: originOf(run), robotsStatus: 200, aiBotPolicy: { GPTBot: 'disallowed' } },
    })
    t.match(event?.data, { llmsTxtTruncated: true, llmsFullTxt: null, llmsFullTxtTruncated: false })
    const { llmsTxt } = event?.data ?? {}
    t.ok(llmsTxt?.endsWith('/tides)\n') && llms.startsWith(llmsTxt) && llmsTxt.length <= 64 * 1024)
    t.same(pathsOf(run), ['/robots.txt', '/llms.txt', '/llms-full.txt'])
    for (const { workId, runId, delayMs } of requestedOf(run))
      t.same([workId, runId, delayMs], [-run, run, 1_500])
  })

  await t.test('get requests that robots.txt allows, or all requests if it is not respected', async t => {
    const rules = [{ allow: false, pattern: '/llms.txt' }]
    const run = await begin({}, read(2, { group: { rules, crawlDelay: 3_600 } }), finished)
    const closed = await begin({}, read(3, { status: 503, verdict: 'disallow_all' }))
    const careless = await begin({ respectRobots: false, delayMs: 0 })
    await settled()
    t.same(pathsOf(run), ['/robots.txt', '/llms-full.txt'])
    t.equal(requestedOf(run)[0]?.delayMs, 30_000)
    t.match((await commitsOf(run))[0]?.events, [{ data: { llmsTxt: null } }])
    t.same(pathsOf(closed), ['/robots.txt'])
    t.same(pathsOf(careless), ['/robots.txt', '/llms.txt', '/llms-full.txt'])
    t.equal(requestedOf(careless)[0]?.delayMs, 100)
  })

  await t.test('are read with the fields that the client has set, and not from the cache', async t => {
    const own = { headers: 'sealed1.headers', cookies: 'sealed1.cookies', userAgent: 'ExampleBot/1.0' }
    const proxy = { sealed: 'sealed1.proxy', shown: 'proxy.test:8080' }
    const run = await begin({ ...own, proxy, proxyPool: { pool: 'residential', country: null } })
    const url = originOf(run)
    await append(run, read(run, { origin: url }))
    await settled()
    const all = [1, 2, 3].map(() => ({ ...own, proxy: 'sealed1.proxy' }))
    t.strictSame(
      requestedOf(run).map(({ asRun }) => asRun),
      all,
    )
    t.equal(requestedOf(1)[0]?.asRun, undefined)
  })

  await t.test('get no requests for deleted or ended runs', async t => {
    const other = await begin({}, read(1), finished)
    const run = await begin()
    await append(run, { type: 'RunDeleted', data: { projectId: 7, billedPages: 0 } })
    await settled()
    t.same([pathsOf(other), pathsOf(run)], [[], []], 'without robots.txt of its own, and deleted')
    await pool.query(
      `insert into content.site_reading (run_id, origin, delay_ms, respects_robots, due_at, finished_at)
       values (100, $1, 100, true, now(), now() - interval '2 hours'), (101, $2, 100, true, now(), null)`,
      [originOf(100), originOf(101)],
    )
    await pool.query('insert into content.deletion (run_id) values (101)')
    await settled()
    t.same(pathsOf(100), [])
    t.same([await commitsOf(100), await commitsOf(101)], [[], []])
  })

  await t.test('are recorded once, even if everything is done twice', async t => {
    const [before] = await commitsOf(1)
    await pool.query(
      `insert into content.site_reading (run_id, origin, delay_ms, respects_robots, due_at)
       values (1, $1, 100, true, now())`,
      [originOf(1)],
    )
    await settled()
    await end()
    await pool.query('delete from content.checkpoint')
    await scene.start()
    const last = await begin({ respectRobots: false })
    await until(async () => (await commitsOf(last)).length === 1 && (await rows()) === 0)
    t.same(await commitsOf(1), [before])
    t.equal((await commitsOf(2)).length, 1)
  })
})
