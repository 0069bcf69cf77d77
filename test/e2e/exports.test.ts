/** Exports in a whole system: from a crawl to its file, with the bytes and headers of the origin. */

import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { startSystem } from './system.ts'

const text = 'The tide turns twice a day. '.repeat(50)
const pages = {
  '/': `<title>Home</title><h1>Home</h1><p>${text}</p><a href="/ebb">Ebb</a><a href="/flood">Flood</a>`,
  '/ebb': {
    headers: { 'content-type': 'text/html', 'x-tide': 'ebb', 'set-cookie': 'visitor=17' },
    body: `<title>Ebb</title><nav><a href="/">All tides</a></nav><h1>Ebb</h1><p>${text}</p>`,
  },
  '/flood': { status: 404, body: '<title>Flood</title>' },
}
const formats = ['jsonl', 'markdown', 'parquet', 'warc', 'wacz', 'sitemap', 'graph']

test('Exports of a crawl', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({ EXPORT_SWEEP_SECONDS: '1' })
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages })
  t.teardown(() => origin.close())
  const key = await system.createProject('exporting')
  const call = (method: string, path: string, body?: unknown) => system.call(key, method, path, body)
  const crawl = { url: `${origin.url}/`, delay_ms: 0, respect_robots: false }
  const { id } = await system.crawl(key, crawl)
  const bill = async () => (await call('GET', '/v1/usage')).body.today
  const billed = await bill()
  const exported = async (request: object) => {
    const { status, body } = await call('POST', `/v1/crawls/${id}/exports`, request)
    t.equal(status, 202, JSON.stringify(body))
    let view = body
    await until(async () => {
      view = (await call('GET', `/v1/exports/${body.id}`)).body
      return !['queued', 'running'].includes(view.status)
    })
    t.match(view, { status: 'done', error: null }, JSON.stringify(request))
    const file = await fetch(view.download_url)
    t.equal(file.status, 200)
    return { view, file: Buffer.from(await file.arrayBuffer()) }
  }

  await t.test('have every page with its stored content', async t => {
    const include = ['html', 'markdown', 'article', 'metadata', 'headers', 'links']
    const { view, file } = await exported({ format: 'jsonl', select: { include } })
    t.equal(view.records, 3)
    const rows = file
      .toString()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    t.strictSame(rows.map(({ url, status }) => [new URL(url).pathname, status]).sort(), [
      ['/', 200],
      ['/ebb', 200],
      ['/flood', 404],
    ])
    const ebb = rows.find(({ url }) => url.endsWith('/ebb'))
    t.match(ebb, { html: pages['/ebb'].body, markdown: /The tide turns twice a day/ })
    t.match(JSON.stringify(ebb), /x-tide/)
    t.notMatch(file.toString(), /visitor=17/)
    t.match(ebb.markdown, /All tides/)
    const select = { status: [200], url_prefix: `${origin.url}/e` }
    const one = await exported({ format: 'jsonl', select })
    t.equal(one.view.records, 1)
    const seed = await exported({ format: 'jsonl', select: { max_depth: 0 } })
    t.equal(seed.view.records, 1)
    t.equal(JSON.parse(seed.file.toString()).url, `${origin.url}/`)
    const main = await exported({
      format: 'jsonl',
      select: { ...select, include: ['markdown'], only_main_content: true },
    })
    const { markdown } = JSON.parse(main.file.toString())
    t.match(markdown, /^# Ebb\n/)
    t.notMatch(markdown, /All tides/)
    const chunks = { max_tokens: 64 }
    const split = await exported({ format: 'jsonl', select: { ...select, chunks, only_main_content: true } })
    const row = JSON.parse(split.file.toString())
    t.match(row.chunks[0], { heading_path: ['Ebb'], start: 0, is_part: true })
    t.equal(row.chunks.map(({ text }: { text: string }) => text).join(''), markdown)
    t.equal(row.markdown, undefined)
  })

  await t.test('exist in every format, and cost nothing', async t => {
    for (const format of formats) t.ok((await exported({ format })).file.byteLength > 0, format)
    t.strictSame(await bill(), billed)
    t.match((await call('GET', `/v1/crawls/${id}/exports`)).body.items.length, formats.length + 5)
    t.match(await system.admin('verify'), { ok: true })
  })

  await t.test('end with their crawl', async t => {
    const { view } = await exported({ format: 'sitemap' })
    t.equal((await call('DELETE', `/v1/crawls/${id}`)).status, 204)
    t.equal((await call('GET', `/v1/crawls/${id}/exports`)).status, 404)
    await until(async () => (await call('GET', `/v1/exports/${view.id}`)).body.status === 'expired')
    t.equal((await fetch(view.download_url)).status, 410)
  })
})
