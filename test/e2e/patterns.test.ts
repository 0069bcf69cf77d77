/**
 * A project with the most costly patterns, on pages that make them costly. Its neighbours get responses and crawls as
 * before, its runs end at their limits, and no server is reported as down.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { type Test, test } from 'tap'
import { logLines } from './log-lines.ts'
import { type System, startSystem } from './system.ts'

/** The pattern time limit of a crawl in seconds, short enough that some crawls end within the test. */
const patternSeconds = 1
const runs = 5
/** The median of the rounds counts. */
const rounds = sized(1, 3)
const roundMs = sized(1_500, 3_000)
/** Shorter response times count as unnoticeable, because the test shares its processors. */
const noticeableMs = 100
const noticeableCrawlMs = 3_000
/** Links per page and characters per link: the largest that the limits allow, and a tenth of both. */
const sizes = [
  { links: 800, characters: 2_020, repetitions: 740 },
  { links: 80, characters: 202, repetitions: 74 },
]

test('Costly patterns slow only the project that sends them', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({ BROWSER: 'off', PATTERN_TIME_LIMIT: String(patternSeconds) })
  t.teardown(() => system.stop())
  const neighbour = await system.createProject('neighbour', '--tier', 'agency', '--unlimited')
  const attacker = await system.createProject('attacker', '--tier', 'agency', '--unlimited')

  await t.test('and too many are rejected, counted over both lists', async t => {
    const request = {
      url: 'http://127.1.0.1/',
      include_paths: ['[^z]{0,700}!', '^/s'],
      exclude_paths: ['[^x]{0,700}!'],
    }
    for (const path of ['/v1/crawls', '/v1/crawls/estimate']) {
      const { status, body } = await system.call(attacker, 'POST', path, request)
      t.equal(status, 400, path)
      const { code, reason, field } = body.error
      t.strictSame(
        { code, reason, field },
        { code: 'invalid_input', reason: 'bad_regex', field: 'exclude_paths[0]' },
      )
      t.match(body.error.message, /heavy together/)
    }
  })

  for (const { links, characters, repetitions } of sizes) {
    await t.test(`${links} links of ${characters} characters`, async t => {
      const exclude_paths = [`[^z]{0,${repetitions}}[!,]`]
      const page = pageOf(links, characters)
      const quiet: Measured[] = []
      const attacked: Measured[] = []
      const endings: number[] = []
      for (let round = 0; round < rounds; round++) {
        quiet.push(await measure(t, system, neighbour))
        const origins = await Promise.all(
          Array.from({ length: runs }, () => startOrigin({ host: '127.1.9.9', pages: { '/': page } })),
        )
        const ids: number[] = []
        for (const { url } of origins) {
          const request = { url: `${url}/`, max_pages: 50, delay_ms: 0, exclude_paths }
          const { status, body } = await system.call(attacker, 'POST', '/v1/crawls', request)
          t.equal(status, 202)
          ids.push(body.id)
        }
        await sleep(1_000)
        attacked.push(await measure(t, system, neighbour))
        const [cancelled = 0, deleted = 0, ...others] = ids
        endings.push(
          await timed(() => system.call(attacker, 'POST', `/v1/crawls/${cancelled}/cancel`), t, 200),
        )
        endings.push(await timed(() => system.call(attacker, 'DELETE', `/v1/crawls/${deleted}`), t, 204))
        for (const id of others) await judgeEnd(t, system, attacker, id, links)
        await Promise.all(origins.map(origin => origin.close()))
      }
      const health = { before: median(quiet, 'p95'), during: median(attacked, 'p95') }
      const crawl = { before: median(quiet, 'crawlMs'), during: median(attacked, 'crawlMs') }
      t.comment({ health, crawl, endings })
      t.ok(
        health.during <= Math.max(1.5 * health.before, noticeableMs),
        'other projects get responses as before',
      )
      t.ok(
        crawl.during <= Math.max(2 * crawl.before, noticeableCrawlMs),
        'other crawls are as fast as before',
      )
      t.ok(Math.max(...endings) < 1_000, 'a crawl is cancelled and deleted at once')
    })
  }

  t.strictSame(await logLines(system.dir, / is away/), [], 'no server is reported as down')
})

/** Checks that a run with exhausted pattern time has its fetched page and the reason for its end. */
async function judgeEnd(t: Test, system: System, key: string, id: number, links: number): Promise<void> {
  const run = await system.untilEnded(key, id)
  const { body: coverage } = await system.call(key, 'GET', `/v1/crawls/${id}/coverage`)
  const isCut = run.stop_reason === 'pattern_time'
  t.ok(run.page_count >= 1 && coverage.holds, `${run.page_count} pages`)
  // On the small pages it may finish.
  t.ok(run.status === 'done' && (isCut || links < 100), `${run.status} by ${run.stop_reason}`)
  t.equal(coverage.stop_reason, run.stop_reason)
}

type Measured = { p95: number; crawlMs: number }

/** Returns how long a neighbour waits for a response, and for a crawl of three pages. */
async function measure(t: Test, system: System, key: string): Promise<Measured> {
  await using origin = await startOrigin({
    pages: { '/': '<a href=/a>A</a><a href=/b>B</a>', '/a': 'A', '/b': 'B' },
  })
  const waits: number[] = []
  const crawls: number[] = []
  const until = performance.now() + roundMs
  const calling = (async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await system.call(null, 'GET', '/v1/health')
      waits.push(performance.now() - began)
      await sleep(20)
    }
  })()
  while (performance.now() < until) {
    const began = performance.now()
    const run = await system.crawl(key, { url: `${origin.url}/` })
    crawls.push(performance.now() - began)
    t.equal(run.page_count, 3)
  }
  await calling
  return { p95: quantile(waits, 0.95), crawlMs: quantile(crawls, 0.5) }
}

async function timed(call: () => Promise<{ status: number }>, t: Test, status: number): Promise<number> {
  const began = performance.now()
  t.equal((await call()).status, status)
  return Math.round(performance.now() - began)
}

/** Returns a page with links that a search cannot distinguish early. */
function pageOf(links: number, characters: number): string {
  const lines = Array.from({ length: links }, (_, at) => {
    let odd = at
    const letters = Array.from({ length: characters - 10 }, () => {
      odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
      return odd > 0x7fffffff ? 'a' : 'b'
    })
    return `<a href="/s${at}-${letters.join('')}">x</a>`
  })
  return lines.join('\n')
}

function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0)
}

const median = (all: Measured[], what: keyof Measured): number =>
  quantile(
    all.map(one => one[what]),
    0.5,
  )
