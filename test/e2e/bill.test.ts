/** The bill in detail: every billed or free result has its row, and the rows add up to the counters. */

import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerItem } from '@tidemark/contracts/http/usage-ledger'
import { listening } from '@tidemark/testing/listening'
import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { type Answer, sharedSystem } from './system.ts'

const bulks = 20
const pagesOfBulk = sized(30, 100)
const cap = (bulks * pagesOfBulk) / 2

test('The bill of a project', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const { call } = system
  const origin = await startOrigin({
    pages: {
      '/': '<title>Front</title><a href="/a">a</a> <a href="/challenge">b</a>',
      '/a': '<title>A</title>',
      '/challenge': challenge,
    },
  })
  t.teardown(() => origin.close())
  const closed = await startOrigin()
  await closed.close()
  const key = await system.createProject('billed', '--tier', 'pro')
  const rowsOf = async (query = '', by = key): Promise<LedgerItem[]> =>
    (await call(by, 'GET', `/v1/usage/ledger?limit=1000&${query}`)).body.items
  const sum = (items: LedgerItem[]) => items.reduce((sum, { units }) => sum + units, 0)
  /** Returns the pages of two days, because the test may run over midnight. */
  const counted = async (by = key): Promise<number> => {
    const { days } = (await call(by, 'GET', '/v1/usage/history?days=2')).body
    return days.reduce((sum: number, { pages }: { pages: number }) => sum + pages, 0)
  }
  const from = new Date().toISOString().slice(0, 10)
  const billed = ({ headers }: { headers: Headers }) => headers.get('x-pages-billed')
  let runId = 0

  await t.test('has a row for each page of a crawl, and one with 0 units for a challenge', async t => {
    const run = await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0, respect_robots: false })
    t.match(run, { status: 'done', page_count: 3 })
    runId = run.id
    await until(async () => (await rowsOf(`run_id=${run.id}`)).length === 3)
    const rows = await rowsOf(`run_id=${run.id}`)
    t.equal(sum(rows), 2)
    for (const { url, units, reason, operation, attempt, page_id } of rows) {
      const isBlocked = url === `${origin.url}/challenge`
      t.strictSame([units, reason], isBlocked ? [0, 'blocked'] : [1, 'billed'], url ?? '')
      t.strictSame([operation, attempt], ['crawl', 1])
      t.equal((await call(key, 'GET', `/v1/pages/${page_id}`)).body.url, url)
    }
  })

  await t.test('has the billed and free results of requests, each with its reason', async t => {
    const scan = (body: object) => call(key, 'POST', '/v1/scan', body)
    const fresh = await scan({ url: `${origin.url}/a` })
    const cached = await scan({ url: `${origin.url}/a`, max_age_seconds: 3600 })
    const failed = await scan({ url: closed.url })
    const blocked = await scan({ url: `${origin.url}/challenge` })
    t.strictSame([fresh, cached, failed, blocked].map(billed), ['1', '1', '0', '0'])
    t.equal(cached.body.cached, true)
    const urls = [`${origin.url}/`, 'http://no-such-host.invalid/', `${origin.url}/challenge`]
    const bulk = await call(key, 'POST', '/v1/scan/bulk', { urls })
    t.equal(billed(bulk), '2')
    t.equal(billed(await call(key, 'POST', '/v1/map', { url: origin.url })), '0')
    t.equal(billed(await call(key, 'POST', '/v1/crawls', { url: origin.url, max_pages: 0 })), null)

    await until(async () => (await rowsOf(`from=${from}`)).length === 3 + 4 + 3)
    const billOf = async ({ headers }: { headers: Headers }) =>
      (await rowsOf(`request_id=${headers.get('x-request-id')}`)).map(({ url, units, reason }) => [
        url,
        units,
        reason,
      ])
    t.strictSame(await billOf(fresh), [[`${origin.url}/a`, 1, 'billed']])
    t.strictSame(await billOf(cached), [[`${origin.url}/a`, 1, 'cached']])
    t.strictSame(await billOf(failed), [[closed.url, 0, 'failed']])
    t.strictSame(await billOf(blocked), [[`${origin.url}/challenge`, 0, 'blocked']])
    t.strictSame(await billOf(bulk), [
      [urls[0], 1, 'billed'],
      [urls[1], 1, 'failed'],
      [urls[2], 0, 'blocked'],
    ])
  })

  await t.test('remains when a crawl is deleted, and is the same in every format', async t => {
    const before = await rowsOf(`from=${from}`)
    t.equal((await call(key, 'DELETE', `/v1/crawls/${runId}`)).status, 204)
    await until(async () => (await rowsOf(`run_id=${runId}`)).every(({ url }) => url === null))
    const after = await rowsOf(`from=${from}`)
    t.strictSame(
      after,
      before.map(row => (row.run_id === null ? row : { ...row, url: null })),
    )
    t.equal(sum(after), 6)
    t.equal(await counted(), 6)
    const csv = await call(key, 'GET', `/v1/usage/ledger?from=${from}&format=csv`)
    t.equal((csv.body as string).trim().split('\r\n').length, after.length + 1)
    const parts: LedgerItem[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { body } = await call(key, 'GET', `/v1/usage/ledger?from=${from}&limit=3&offset=${offset}`)
      parts.push(...body.items)
      offset = body.next_offset
    }
    t.strictSame(parts, after)
    const other = await system.createProject('other-payer')
    t.strictSame(await rowsOf(`from=${from}&run_id=${runId}`, other), [], 'other projects have no rows of it')
  })

  await t.test(`stops at the cap of ${cap} pages when ${bulks} bulk scans request twice as many`, async t => {
    const hosts = await manyHosts(pagesOfBulk)
    t.teardown(() => hosts.close())
    const payer = await keyOf('bulky', String(cap))
    const scanned = async (bulk: number): Promise<Answer> => {
      const body = { urls: hosts.urls.map(url => `${url}/${bulk}`), metadata_only: true }
      const answer = await call(payer, 'POST', '/v1/scan/bulk', body)
      if (answer.status !== 503 && answer.status !== 429) return answer
      // Eight scans run at once, and on a busy machine a scan may wait too long. A refused scan has not begun, and its
      // reserved pages are released soon.
      await sleep(Number(answer.headers.get('retry-after')) * 1_000)
      return scanned(bulk)
    }
    const answers = await Promise.all(Array.from({ length: bulks }, (_, bulk) => scanned(bulk)))
    t.strictSame([...new Set(answers.map(({ status }) => status))], [200])
    const items = answers.flatMap(({ body }) => body.items)
    t.equal(items.filter(({ ok }: { ok: boolean }) => ok).length, cap)
    t.equal(items.filter(({ error }: { error?: string }) => error === 'daily page cap exceeded').length, cap)
    t.equal(
      answers.reduce((sum, answer) => sum + Number(billed(answer)), 0),
      cap,
    )
    await until(async () => (await counted(payer)) === cap)
    t.equal(sum(await rowsOf(`from=${from}`, payer)), cap)
  })

  /**
   * Returns the key of a new project. Its name differs in each run of this file, because the shared system keeps the
   * projects of earlier runs.
   */
  async function keyOf(of: string, pagesPerDay: string): Promise<string> {
    const name = `${of}-${Date.now()}`
    const payer = await system.createProject(name, '--tier', 'pro')
    await system.admin('set-project', '--name', name, '--pages-per-day', pagesPerDay)
    await until(
      async () => (await call(payer, 'GET', '/v1/usage')).body.caps.pages_per_day === Number(pagesPerDay),
    )
    return payer
  }
})

/** Starts many hosts with one small page each, so that no rate limit delays the test. */
async function manyHosts(count: number) {
  const answer: http.RequestListener = (request, response) => {
    const isPage = /^\/\d+$/.test(request.url ?? '')
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' })
    response.end(isPage ? `<title>${request.url}</title>` : '')
  }
  const hosts = await Promise.all(
    Array.from({ length: count }, (_, n) => listening(http.createServer(answer), `127.1.7.${n + 1}`)),
  )
  return { urls: hosts.map(({ url }) => url), close: () => Promise.all(hosts.map(({ close }) => close())) }
}
