import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isFullTier } from '@tidemark/testing/tier'
import { test } from 'tap'
import { fallenSince, lineOf, mediansOf } from './baseline.ts'
import { floorRound } from './floor-round.ts'
import { urlsOf } from './list-of-urls.ts'
import type { Round } from './round.ts'
import { startSite } from './served-site.ts'
import { linksPerPage, pageHtml, pathOf } from './site.ts'
import { ratiosOf, tableOf } from './table.ts'
import { webhooksFloor } from './webhooks-round.ts'
import { works } from './works.ts'

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
  for (const hosts of [1, 7]) {
    await using site = await startSite(pages, { hosts, isTls: hosts > 1 })
    const isCrawl = hosts === 1
    const urls = isCrawl ? [`${site.origins[0]}/`] : urlsOf(site)
    const round = await floorRound(site, { urls, isCrawl, isStored: true }, 8)
    t.match(round, { peer: 'floor', pages, requests: pages, bytes: site.bytes })
    t.ok(round.cpuSeconds > 0 && round.peakBytes > 10e6, 'CPU time and memory are measured')
  }
})

test('The floor signs and sends every webhook', async t => {
  await using site = await startSite(40, { hosts: 1 })
  t.match(await webhooksFloor(site), { pages: 40, requests: 40 })
})

const round = (peer: Round['peer'], seconds: number, more: Partial<Round> = {}): Round => ({
  ...{ peer, seconds, pages: 100, requests: 100, bytes: 3e6, cpuSeconds: 1, peakBytes: 2e8, othersCores: 0 },
  ...more,
})
const inTurns = [
  ...[round('floor', 1), round('tidemark', 2)],
  ...[round('tidemark', 40), round('floor', 10)],
  ...[round('floor', 1), round('tidemark', 1)],
]

test('Ratios are computed per pair, and the table shows their median', async t => {
  t.match(ratiosOf(inTurns, 'floor', 'tidemark').pagesPerSecond, { median: 0.5, min: 0.25, max: 1 })
  const table = tableOf(inTurns, ['floor', 'tidemark'])
  t.match(table, /^tidemark\/floor +0\.50 \(0\.25–1\.00\)/m)
  t.notMatch(table, /p50|NaN/, 'measures that the work does not have are left out')
  const waits = Array.from({ length: 200 }, (_, n) => n)
  t.match(tableOf([round('floor', 1, { waits })], ['floor']), /p50 ms +p99 ms.*\n.* 100\.0 .* 198\.0 /)
})

test('A ratio that is more than a tenth worse than the baseline is named', async t => {
  const measured = mediansOf(ratiosOf(inTurns, 'floor', 'tidemark'))
  t.strictSame(measured, { pagesPerSecond: 0.5, cpuSecondsPer1000: 1, peakMB: 1 })
  const line = lineOf('crawl', 100)
  const than = (baseline: object) => fallenSince({ [line]: baseline }, { [line]: measured })
  t.strictSame(
    than({ pagesPerSecond: 0.55, cpuSecondsPer1000: 0.92, peakMB: 2 }),
    [],
    'within a tenth, or better',
  )
  t.strictSame(than({ pagesPerSecond: 0.56, cpuSecondsPer1000: 0.9 }), [
    "crawl 100: pagesPerSecond is 0.5 times the floor's; the baseline is 0.56.",
    "crawl 100: cpuSecondsPer1000 is 1 times the floor's; the baseline is 0.9.",
  ])
  t.strictSame(fallenSince({}, { [line]: measured }), [], 'a new line has no baseline')
})

const skip = !isFullTier && 'it uses both processors for two minutes: only npm run test:full runs it'

test('Every work of the bench ends with all pages', { skip, timeout: 900_000 }, async t => {
  const options = ['--all', '--pages', '300', '--rounds', '1']
  const { stdout } = await promisify(execFile)(process.execPath, ['test/bench/run.ts', ...options])
  const reports: { work: string; tidemark: { pagesPerSecond: { median: number } } }[] = JSON.parse(
    stdout.trim().split('\n').at(-1) ?? '',
  )
  t.strictSame(
    reports.map(({ work }) => work),
    Object.keys(works),
  )
  t.ok(reports.every(({ tidemark }) => tidemark.pagesPerSecond.median > 0))
})
