/** Retries the failed URLs of a crawl, while processes are killed: one receipt, one bill, and a webhook for each end. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { run as verify } from '../../deploy/admin/verify.ts'
import { startSystem } from './system.ts'

const count = sized(40, 10_000)
const kills = sized(2, 10)
/** Its server accepts connections and closes them, until the site gets a page at the address. */
const paths = Array.from({ length: count }, (_, n) => `/accepts-and-closes/${n}`)
const bodyOf = (path: string) => `<title>${path}</title><a href="/">home</a>`

async function startReceiver() {
  const hits: { id: string; body: { page_count: number; error_count: number } }[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    hits.push({
      id: String(request.headers['webhook-id']),
      body: JSON.parse(Buffer.concat(parts).toString()),
    })
    response.writeHead(204).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.1.0.7', resolve))
  return { hits, server, url: `http://127.1.0.7:${(server.address() as AddressInfo).port}/` }
}

test('Retrying the failed URLs of a crawl', { timeout: 1_800_000 }, async t => {
  const origin = await startOrigin({ pages: { '/': paths.map(path => `<a href="${path}">x</a>`).join('') } })
  const receiver = await startReceiver()
  const system = await startSystem()
  t.teardown(async () => {
    await system.stop()
    receiver.server.closeAllConnections()
    receiver.server.close()
    await origin.close()
  })
  const key = await system.createProject('retries', '--unlimited')
  const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
  const retry = (id: number) => call('POST', `/crawls/${id}/retry-failed`)
  const refusal = (reason: string) => ({
    status: 409,
    body: { error: { code: 'conflict', reason, message: String } },
  })
  const coverage = async (id: number) => (await call('GET', `/crawls/${id}/coverage`)).body
  /** Kills each process that took part in the crawl, one after the other. */
  const killNext = async (nth: number) => {
    const { processes } = await system.runFile()
    const { pid = 0 } = processes[nth % processes.length] ?? {}
    process.kill(pid, 'SIGKILL')
  }
  const request = {
    url: `${origin.url}/`,
    delay_ms: 0,
    respect_robots: false,
    trap_guards: false, // its pages are alike
    webhook_url: receiver.url,
  }
  const { id, ...first } = await system.crawl(key, { ...request, max_pages: count + 1 })

  await t.test('continues the crawl, although processes are killed', async t => {
    t.match(first, { status: 'done', page_count: 1, error_count: count })
    await until(async () => receiver.hits.length === 1)
    // The last page still fails.
    origin.site(Object.fromEntries(paths.slice(1).map(path => [path, bodyOf(path)])))
    const { status, body } = await retry(id)
    t.equal(status, 200, JSON.stringify(body))
    t.match(body, { id, status: 'running', finished_at: null, stop_reason: null, retried_urls: count })
    t.match(await retry(id), refusal('run_active'))
    for (let nth = 0; nth < kills; nth++) {
      await killNext(nth)
      await sleep(sized(300, 4_000))
    }
    t.match(await system.untilEnded(key, id), { status: 'done', page_count: count, error_count: 1 })
    t.match(await coverage(id), {
      status: 'done',
      discovered: count + 1,
      fetched: count,
      failed: { total: 1 },
      pending: 0,
      holds: true,
    })
    const { items } = (await call('GET', `/crawls/${id}/errors`)).body
    t.match(items, [{ url: origin.url + paths[0] }])
    t.equal(items.length, 1)
  })

  await t.test('sends a webhook for each end, under its own id', async t => {
    await until(async () => receiver.hits.length >= 2, 60_000)
    const ids = [...new Set(receiver.hits.map(({ id }) => id))]
    t.strictSame(ids, [`msg_run${id}_crawl_done`, `msg_run${id}_crawl_done_2`])
    t.match(receiver.hits.at(-1)?.body, { page_count: count, error_count: 1 })
    await until(async () => (await call('GET', `/crawls/${id}`)).body.webhook_status === 'delivered')
  })

  await t.test('explains a URL with the attempts of both rounds', async t => {
    const query = new URLSearchParams({ url: origin.url + paths[1] })
    const { body } = await call('GET', `/crawls/${id}/explain?${query}`)
    t.match(body, { verdict: 'fetched', attempts: [{ attempt: 1, outcome: 'retried' }] })
    t.match(body.attempts.at(-1), { outcome: 'fetched' })
  })

  await t.test('sends the decision to clients that follow the crawl from its beginning', async t => {
    const { body } = await call('GET', `/crawls/${id}/events?types=decision,end`)
    t.match(body, /"decision":"reopened","urls":\d+/)
    t.equal(body.match(/event: end/g).length, 1, 'without the earlier end')
  })

  await t.test('is refused without failures, for a cancelled crawl, and for a deleted one', async t => {
    origin.site({ '/quiet': 'nothing else' })
    const fine = await system.crawl(key, { url: `${origin.url}/quiet`, delay_ms: 0 })
    t.match(await retry(fine.id), refusal('no_failures'))
    const started = await call('POST', '/crawls', { ...request, delay_ms: 1_000 })
    await call('POST', `/crawls/${started.body.id}/cancel`)
    t.match(await retry(started.body.id), refusal('run_cancelled'))
    t.equal((await call('DELETE', `/crawls/${fine.id}`)).status, 204)
    t.match(await retry(fine.id), { status: 404, body: { error: { code: 'not_found' } } })
    const other = await system.createProject('others')
    t.equal((await system.call(other, 'POST', `/v1/crawls/${id}/retry-failed`)).status, 404)
  })

  await t.test('needs a free slot', async t => {
    const slow = { ...request, delay_ms: 60_000 }
    const started = await Promise.all([1, 2, 3, 4, 5].map(() => call('POST', '/crawls', slow)))
    t.match(await retry(id), { status: 429, body: { error: { reason: 'concurrent_runs' } } })
    await Promise.all(started.map(({ body }) => call('DELETE', `/crawls/${body.id}`)))
  })

  await t.test('leaves every invariant intact: pages, bills, slots, deliveries, receipts', async t => {
    origin.site({ [paths[0] ?? '']: bodyOf(paths[0] ?? '') })
    t.match(await retry(id), { status: 200, body: { retried_urls: 1 } })
    t.match(await system.untilEnded(key, id), { page_count: count + 1, error_count: 0 })
    t.match(await retry(id), refusal('no_failures'))
    const report: string[] = []
    const { ok } = await verify([], system.dir, line => report.push(line))
    t.ok(ok, report.join('\n'))
  })
})
