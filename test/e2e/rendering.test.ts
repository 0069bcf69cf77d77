/** Crawls of sites whose pages depend on scripts, and their bills. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type Origin, type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { replayed, unchanged } from './replay.ts'
import { startSystem } from './system.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const words = 'High water comes twice a day, and each time a little later than the day before.'
const page = (body: string): Page => ({ headers: html, body: `<!doctype html><title>Harbour</title>${body}` })
const app = (n: number): Page =>
  page(`<div id=root></div><script>
    fetch('/data/${n}').then(answer => answer.text()).then(text => { root.innerHTML = text })</script>`)

/** Returns a static home page, `count` pages made by scripts, and a static page behind each of them. */
function site(count: number): Record<string, Page> {
  const numbers = Array.from({ length: count }, (_, n) => n)
  return {
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nAllow: /\n' },
    '/': page(`<h1>Harbour</h1><p>${words}${numbers.map(n => ` <a href=/app/${n}>${n}</a>`).join('')}`),
    ...Object.fromEntries(
      numbers.flatMap(n => [
        [`/app/${n}`, app(n)],
        [`/data/${n}`, { headers: html, body: `<h1>Tide ${n}</h1><p>${words} <a href=/deep/${n}>More</a>` }],
        [`/deep/${n}`, page(`<h1>Deep ${n}</h1><p>${words}`)],
      ]),
    ),
  }
}

test('A site made by scripts', { timeout: patient(300_000) }, async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const { call, crawl } = system
  const origin: Origin = await startOrigin()
  t.teardown(() => origin.close())
  const key = await system.createProject('scripted', '--tier', 'pro')
  const health = await call(key, 'GET', '/v1/health/cloud')
  t.match(health, { status: 200, body: { backends: { browser: true } } }, 'there is a browser')
  const seed = `${origin.url}/`
  const request = { url: seed, delay_ms: 0 }
  let [pages, cloudPages] = [0, 0]
  const isBilled = () =>
    until(async () => {
      const { today } = (await call(key, 'GET', '/v1/usage')).body
      return today.pages === pages && today.cloud_pages === cloudPages
    })
  const listed = async (
    id: number,
  ): Promise<{ id: number; url: string; rendered: boolean; title: string }[]> =>
    (await call(key, 'GET', `/v1/crawls/${id}/pages?limit=100&fields=rendered,title`)).body.items

  await t.test('has empty pages without rendering', async t => {
    origin.site(site(3))
    t.match(await crawl(key, request), { status: 'done', page_count: 4 })
    pages += 4
    await isBilled()
  })

  await t.test('is crawled completely with rendering', async t => {
    const run = await crawl(key, { ...request, render: 'auto' })
    t.match(run, { status: 'done', page_count: 7, error_count: 0, stop_reason: 'exhausted' })
    const items = await listed(run.id)
    t.strictSame(
      items.map(({ url, rendered }) => `${new URL(url).pathname} ${rendered}`).sort(),
      ['/ false', ...[0, 1, 2].flatMap(n => [`/app/${n} true`, `/deep/${n} false`])].sort(),
    )
    t.strictSame(await replayed(system, key, run.id), unchanged(7))
    const made = items.find(({ url }) => url.endsWith('/app/1'))
    const { body } = await call(key, 'GET', `/v1/pages/${made?.id}?format=markdown`)
    t.match(JSON.stringify(body), /Tide 1/)
    const why = await call(
      key,
      'GET',
      `/v1/crawls/${run.id}/explain?url=${encodeURIComponent(`${seed}app/1`)}`,
    )
    t.match(why.body.attempts, [
      { by: 'http', outcome: 'retried', reason: 'script_only' },
      { by: 'browser', outcome: 'fetched' },
    ])
    pages += 4
    cloudPages += 3
    await isBilled()
    const bill = await call(key, 'GET', `/v1/usage/ledger?run_id=${run.id}&kind=cloud_page`)
    t.match(bill.body.items, Array(3).fill({ operation: 'crawl_rendered', units: 1, reason: 'billed' }))
  })

  await t.test('is rendered completely with render: always', async t => {
    const run = await crawl(key, { ...request, render: 'always' })
    t.match(run, { status: 'done', page_count: 7 })
    t.strictSame(await replayed(system, key, run.id), unchanged(7))
    cloudPages += 7
    await isBilled()
  })

  const screenshot = async (id: number, headers = {}) => {
    const address = `${system.base}/v1/pages/${id}/screenshot`
    const response = await fetch(address, { headers: { authorization: `Bearer ${key}`, ...headers } })
    const bytes = Buffer.from(await response.arrayBuffer())
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      etag: response.headers.get('etag'),
      bytes,
    }
  }
  const png = { status: 200, type: 'image/png' }
  const isPng = (bytes: Buffer) => bytes.subarray(1, 4).toString() === 'PNG'

  await t.test('has a screenshot of each rendered page on request, for no more money', async t => {
    const run = await crawl(key, { ...request, render: 'auto', screenshots: true })
    t.match(run, { status: 'done', page_count: 7 })
    pages += 4
    cloudPages += 3
    const items = await listed(run.id)
    for (const { id, rendered } of items) {
      const found = await screenshot(id)
      t.match(found, rendered ? png : { status: 404 })
      if (rendered) t.ok(isPng(found.bytes) && found.bytes.readUInt32BE(16) === 1366, 'as wide as the window')
    }
    t.strictSame(await replayed(system, key, run.id), unchanged(7))
    const { id } = items.find(({ rendered }) => rendered) ?? { id: 0 }
    const { etag } = await screenshot(id)
    t.equal((await screenshot(id, { 'if-none-match': etag })).status, 304)
    const stranger = await system.createProject('stranger', '--tier', 'pro')
    t.match(await call(stranger, 'GET', `/v1/pages/${id}/screenshot`), { status: 404 })
    await isBilled()
    t.equal((await call(key, 'DELETE', `/v1/crawls/${run.id}`)).status, 204)
    t.equal((await screenshot(id)).status, 404, 'it is deleted with its run')
  })

  await t.test('spends no more cloud pages than the cap', async t => {
    const frugal = await system.createProject('frugal-scripts', '--tier', 'free')
    await system.admin('set-project', '--name', 'frugal-scripts', '--cloud-per-day', '2')
    const run = await crawl(frugal, { ...request, render: 'auto' })
    t.match(
      run,
      { status: 'done', stop_reason: 'exhausted', page_count: 6 },
      'one page stays without rendering',
    )
    const all = await crawl(frugal, { ...request, render: 'always' })
    t.match(all, { status: 'done', page_count: 0, stop_reason: 'quota', error_message: null })
    const repeated = await crawl(frugal, { ...request, render: 'always', max_age_seconds: 60 })
    t.not(repeated.id, all.id, 'a run without pages is not reused')
    await until(async () => {
      const { today } = (await call(frugal, 'GET', '/v1/usage')).body
      return today.pages === 4 && today.cloud_pages === 2
    })
  })

  await t.test('is crawled to its end even if all processes are killed', async t => {
    origin.site(site(16))
    const all = { ...request, render: 'auto', screenshots: true }
    const { body } = await call(key, 'POST', '/v1/crawls', all)
    const isMade = ({ path }: { path: string }) => path.startsWith('/data/')
    const before = origin.hits.length
    await until(async () => origin.hits.slice(before).filter(isMade).length >= 4)
    for (const { pid } of (await system.runFile()).processes) process.kill(pid, 'SIGKILL')
    for (let left = 300; left > 0; left--) {
      if ((await call(key, 'GET', '/v1/health').catch(() => null))?.status === 200) break
      await sleep(200)
    }
    t.match(await system.untilEnded(key, body.id), { status: 'done', page_count: 33, error_count: 0 })
    const rendered = (await listed(body.id)).filter(({ rendered }) => rendered)
    t.equal(rendered.length, 16)
    for (const { id } of rendered) t.match(await screenshot(id), png, 'and no screenshot is lost')
    pages += 17
    cloudPages += 16
    await isBilled()
    t.match(await system.admin('verify'), { ok: true })
  })
})
