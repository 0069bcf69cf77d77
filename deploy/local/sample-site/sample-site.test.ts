import http from 'node:http'
import { listening } from '@tidemark/testing/listening'
import { test } from 'tap'
import { crawl } from '../crawl.ts'
import { liveLine } from '../processes/live-line.ts'
import { samplePages } from './sample-pages.ts'
import { startSampleSite } from './sample-site.ts'

test('The sample site', async t => {
  t.test('has some fifty pages that all link to others, except one dead link and redirects', async t => {
    const pages = await samplePages('http://sample')
    const targets = new Set(
      [...pages.values()].flatMap(page =>
        [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) => href),
      ),
    )
    t.strictSame([...targets].filter(href => !pages.has(href)).sort(), [
      '/harbor/',
      '/harbour/archive/rules-of-1871/',
      '/news/regatta-results/',
      '/tide-table',
    ])
    const html = [...pages].filter(([, text]) => text.startsWith('<!doctype html>'))
    t.ok(html.length > 40 && html.length < 60)
    for (const [, text] of html) t.notMatch(text, /undefined|NaN|\]\(/)
  })

  t.test('serves pages, redirects, robots.txt and a 404 on loopback alone', async t => {
    const site = await startSampleSite()
    const status = async (path: string) =>
      (await fetch(new URL(path, site.url), { redirect: 'manual' })).status
    t.strictSame(
      await Promise.all(['/', '/tide-table', '/robots.txt', '/nowhere', '/?x=1'].map(status)),
      [200, 301, 200, 404, 200],
    )
    await site.close()
    await t.rejects(fetch(site.url))
  })
})

test('The first crawl', async t => {
  t.test('waits until its key is known, reports progress, and returns the ended run', async t => {
    const answers = [
      [401, {}],
      [202, { id: 4 }],
      [200, { status: 'running', page_count: 1 }],
      [200, { status: 'done', page_count: 2 }],
    ]
    const server = http.createServer((_, response) => {
      const [status, body] = answers.shift() as [number, object]
      response.writeHead(status).end(JSON.stringify({ url: 'http://x/', error_count: 0, ...body }))
    })
    const { url: base, close } = await listening(server)
    const told: string[] = []
    const line = { show: (text: string) => told.push(text), end: (text: string) => told.push(text) }
    const run = await crawl({ base, key: 'k' }, { url: 'http://x/' }, line, new AbortController().signal)
    t.match(run, { status: 'done', page_count: 2 })
    t.match(told, [/^Crawling http:\/\/x\/: 1 pages, 0 errors/, /^Crawled http:\/\/x\/: 2 pages.*\(done\)$/])
    await close()
  })

  t.test('writes few lines where there is no terminal', async t => {
    let written = ''
    const line = liveLine({ write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream)
    for (let page = 0; page < 100; page++) line.show(`page ${page}`)
    line.end('done')
    t.equal(written, 'page 0\ndone\n')
  })
})
