import { test } from 'tap'
import { startChild } from './child.ts'
import { floorRound } from './floor-round.ts'
import type { Round } from './round.ts'
import { linksPerPage, pageHtml, pathOf } from './site.ts'
import { ratiosOf, tableOf } from './table.ts'

test('A page of the site always has the same bytes, and 54 links', async t => {
  const html = pageHtml(321, 2000)
  t.equal(html, pageHtml(321, 2000))
  t.not(html, pageHtml(322, 2000))
  t.equal(html.match(/<a class="ref"/g)?.length, linksPerPage)
  t.ok(html.length > 15_000 && html.length < 50_000, `${html.length} characters`)
})

test('Every page can be reached from the front page within a few clicks', async t => {
  const pages = 700
  const depths = new Map([[pathOf(0), 0]])
  const numbers = new Map(Array.from({ length: pages }, (_, page) => [pathOf(page), page]))
  for (const [path, depth] of depths) {
    const html = pageHtml(numbers.get(path) ?? 0, pages)
    for (const [, href = ''] of html.matchAll(/<a class="ref" href="([^"#]*)/g)) {
      const { pathname } = new URL(href, `http://site${path}`)
      if (!depths.has(pathname)) depths.set(pathname, depth + 1)
    }
  }
  t.equal(depths.size, pages)
  t.ok(Math.max(...depths.values()) <= 12)
})

test('The floor fetches every page with one request each', async t => {
  const pages = 120
  await using server = startChild('site-server.ts', String(pages))
  const { url } = await server.receive<{ url: string }>()
  const requests = async () => (await server.request<{ requests: number }>('count')).requests
  const round = await floorRound({ url, pages, pid: server.pid, requests }, 8)
  t.match(round, { peer: 'floor', pages, requests: pages })
  t.ok(round.cpuSeconds > 0 && round.peakBytes > 10e6, 'CPU time and memory are measured')
})

test('Ratios are computed per pair, and the table shows their median', async t => {
  const round = (peer: Round['peer'], seconds: number): Round => ({
    ...{ peer, seconds, pages: 100, requests: 100, cpuSeconds: 1, peakBytes: 2e8, othersCores: 0 },
  })
  const rounds = [
    ...[round('floor', 1), round('tidemark', 2)],
    ...[round('tidemark', 40), round('floor', 10)],
    ...[round('floor', 1), round('tidemark', 1)],
  ]
  t.match(ratiosOf(rounds, 'floor', 'tidemark').pagesPerSecond, { median: 0.5, min: 0.25, max: 1 })
  t.match(tableOf(rounds, ['floor', 'tidemark']), /^tidemark\/floor +0\.50 \(0\.25–1\.00\)/m)
})
