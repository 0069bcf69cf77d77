/**
 * Processes are killed during work: batches of scans, and retries of the failed URLs of a crawl. Each URL has one
 * result, each delivered page one row of the bill, and each end one webhook.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { BatchItem, BatchView } from '@tidemark/contracts/http/scan-batch'
import { type Origin, startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { Check } from 'typebox/value'
import { run as verify } from '../../deploy/admin/verify.ts'
import { startReceiver } from './receiver.ts'
import { type System, startSystem, twoExtractors } from './system.ts'

const pages = sized(34, 9_994)
const killsOfBatch = sized(5, 10)
const hosts = sized(2, 60)
const webhookSeconds = 60

const failing = sized(40, 10_000)
const killsOfRetry = sized(2, 10)
/** Paths that fail. The server accepts connections for them and closes them, until the test adds a page at the path. */
const paths = Array.from({ length: failing }, (_, n) => `/accepts-and-closes/${n}`)
const bodyOf = (path: string) => `<title>${path}</title><a href="/">home</a>`

test('Work that processes are killed in', { timeout: 5_400_000 }, async t => {
  const system = await startSystem({
    BATCH_LEASE_SECONDS: '3',
    SCAN_TIMEOUT_MS: '5000',
    REPLICAS: twoExtractors,
  })
  t.teardown(() => system.stop())
  await t.test('Batches of scans', t => scanBatches(t, system))
  await t.test('Retrying the failed URLs of a crawl', t => retryFailed(t, system))
  await t.test('leaves every invariant intact: pages, bills, slots, deliveries, receipts', async t => {
    const report: string[] = []
    const { ok } = await verify([], system.dir, line => report.push(line))
    t.ok(ok, report.join('\n'))
  })
})

/** Kills the process at this position, so that each takes part. */
async function killNext(system: System, nth: number) {
  const { processes } = await system.runFile()
  const { pid = 0 } = processes[nth % processes.length] ?? {}
  process.kill(pid, 'SIGKILL')
}

async function scanBatches(t: Test, system: System) {
  const origins: Origin[] = []
  for (let n = 0; n < hosts; n++) origins.push(await startOrigin({ host: `127.1.1.${n + 1}` }))
  t.teardown(() => Promise.all(origins.map(origin => origin.close())))
  const receiver = await startReceiver(t)
  const key = await system.createProject('batches', '--unlimited')
  const call = (method: string, path: string, body?: object, headers = {}) =>
    system.call(key, method, `/v1${path}`, body, headers)
  const view = async (id: number) => (await call('GET', `/scan/batches/${id}`)).body
  const untilEnded = async (id: number) => {
    await until(async () => {
      const { status } = await view(id).catch(() => ({}))
      return status === 'done' || status === 'cancelled'
    }, 1_800_000)
    return view(id)
  }
  const itemsOf = async (id: number, limit: number) => {
    const items = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { status, body } = await call(
        'GET',
        `/scan/batches/${id}/results?limit=${limit}&offset=${offset}`,
      )
      if (status !== 200) t.fail(`${status}: ${JSON.stringify(body)}`)
      items.push(...body.items)
      offset = body.next_offset
    }
    return items
  }
  const billOf = async (id: number) => {
    const rows = []
    for (let offset: number | null = 0; offset !== null; ) {
      const path = `/usage/ledger?request_id=batch-${id}&limit=1000&offset=${offset}`
      const { body } = await call('GET', path)
      rows.push(...body.items)
      offset = body.next_offset
    }
    return rows
  }

  const good = Array.from({ length: pages }, (_, n) => {
    const { url } = origins[n % hosts] as Origin
    return `${url}/page/${n}`
  })
  for (const [n, origin] of origins.entries())
    origin.site(
      Object.fromEntries(
        good.flatMap((url, page) =>
          page % hosts === n ? [[`/page/${page}`, `<title>Page ${page}</title><h1>${url}</h1>`]] : [],
        ),
      ),
    )
  const unreachable = 'http://127.1.9.9:4999/'
  const urls = [
    ...good.slice(0, 10),
    good[0] as string, // listed twice, and each time a separate URL
    unreachable,
    'no address',
    'http://10.0.0.1/private',
    `${origins[0]?.url}/absent`,
    ...good.slice(10),
    `${origins[0]?.url}/user`,
  ]

  await t.test('have an exact result and bill for each URL, although processes are killed', async t => {
    const request = { urls, webhook_url: receiver.url, metadata_only: false }
    const headers = { 'idempotency-key': 'batch-1' }
    const answer = await call('POST', '/scan/batch', request, headers)
    t.equal(answer.status, 202, JSON.stringify(answer.body))
    t.match(answer.body, { status: 'queued', counts: { total: urls.length, pending: urls.length } })
    const { id } = answer.body
    t.equal(answer.headers.get('location'), `/v1/scan/batches/${id}`)
    const again = await call('POST', '/scan/batch', request, headers)
    t.match(again.body, { id })
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    for (let nth = 0; nth < killsOfBatch; nth++) {
      await sleep(sized(400, 15_000))
      await killNext(system, nth)
    }
    const ended = await untilEnded(id)
    t.ok(Check(BatchView, ended), JSON.stringify(ended))
    const counts = {
      total: urls.length,
      pending: 0,
      cancelled: 0,
      refused: 2,
      failed: 1,
      ok: urls.length - 3,
    }
    t.match(ended, { status: 'done', counts, progress: 1 })

    const items = await itemsOf(id, sized(7, 1_000))
    t.strictSame(
      items.map(({ index, url }) => ({ index, url })),
      urls.map((url, index) => ({ index, url })),
    )
    for (const { index, url, ok, result, reason } of items) {
      if (url.includes('/page/')) {
        if (!ok || result.status !== 200 || result.metadata.title !== `Page ${url.split('/').at(-1)}`)
          t.fail(`item ${index} of ${url}: ${JSON.stringify({ ok, reason })}`)
      }
    }
    t.ok(items.every(item => Check(BatchItem, item)))
    const of = (url: string) => items.find(item => item.url === url)
    t.match(of(unreachable), { ok: false, reason: String })
    t.match(of('no address'), { ok: false, reason: 'bad_url' })
    t.match(of('http://10.0.0.1/private'), { ok: false, reason: 'private_address' })
    t.match(of(`${origins[0]?.url}/absent`), { ok: true, result: { status: 404 } })

    const free: Record<string, string> = { [unreachable]: 'failed' }
    await until(async () => (await billOf(id)).length >= urls.length - 2)
    const bill = await billOf(id)
    t.strictSame(
      bill.map(({ url, units, reason }) => `${url} ${units} ${units === 0 ? reason : ''}`).sort(),
      urls
        .filter(url => url !== 'no address' && !url.includes('10.0.0.1'))
        .map(url => `${url} ${free[url] ? 0 : 1} ${free[url] ?? ''}`)
        .sort(),
    )
  })

  await t.test('send one signed webhook at their end', async t => {
    await until(async () => receiver.hits.length > 0, webhookSeconds * 1000)
    const [batch] = (await call('GET', '/scan/batches')).body.items
    const earlier = (await call('GET', `/scan/batches?before=${batch.id}`)).body.items
    t.ok(
      earlier.every(({ id }: { id: number }) => id < batch.id),
      'a list continues before an id',
    )
    t.match((await call('GET', `/scan/batches?before=${batch.id + 1}&limit=1`)).body.items, [
      { id: batch.id },
    ])
    const ids = [...new Set(receiver.hits.map(({ id }) => id))]
    t.strictSame(ids, [`msg_batch${batch.id}_batch_done`])
    t.match(receiver.hits[0]?.body, {
      event: 'batch.done',
      id: batch.id,
      status: 'done',
      counts: { total: urls.length, pending: 0, refused: 2, failed: 1 },
    })
    t.match(receiver.hits[0]?.headers, { 'x-crawler-signature': /^sha256=/, 'webhook-signature': /^v1,/ })
  })

  await t.test('have the same results as a bulk scan', async t => {
    const some = urls.slice(8, 15)
    const bulk = (await call('POST', '/scan/bulk', { urls: some })).body.items
    const { id } = (await call('POST', '/scan/batch', { urls: some })).body
    await untilEnded(id)
    const items = await itemsOf(id, 100)
    const timeless = ({ result, ...item }: { result?: object }) => ({
      ...item,
      ...(result && { result: { ...result, fetched_at: null } }),
    })
    t.strictSame(
      items.map(({ index: _, ...item }) => timeless(item)),
      bulk.map(timeless),
    )
  })

  await t.test('warn while they run, and can be cancelled and deleted', async t => {
    const silent = Array.from({ length: 60 }, (_, n) => `${origins[0]?.url}/never-answers/${n}`)
    const { id } = (
      await call('POST', '/scan/batch', { urls: [good[0], ...silent], webhook_url: receiver.url })
    ).body
    await until(async () => (await view(id)).counts.ok + (await view(id)).counts.failed > 0)
    for (const format of ['json', 'ndjson']) {
      const { headers } = await call('GET', `/scan/batches/${id}/results?format=${format}`)
      const warning = headers.get('x-warnings')
      t.match(warning, /"the batch has not ended: more results follow from offset \d+"/, format)
    }
    const cancelled = (await call('POST', `/scan/batches/${id}/cancel`)).body
    t.match(cancelled, { status: 'cancelled' })
    const { total, pending, ok, failed, refused, cancelled: left } = cancelled.counts
    t.equal(pending, 0)
    t.equal(total, ok + failed + refused + left)
    t.ok(left > 0)
    const items = await itemsOf(id, 100)
    t.equal(items.length, 61)
    t.equal(items.filter(({ reason }) => reason === 'cancelled').length, left)
    t.match(await call('DELETE', `/scan/batches/${id}`), { status: 200, body: { deleted: true, id } })
    t.match(await call('GET', `/scan/batches/${id}`), { status: 404 })
    t.match(await call('GET', `/scan/batches/${id}/results`), { status: 404 })
    t.match(await call('DELETE', `/scan/batches/${id}`), { status: 404 })
    t.equal(
      receiver.hits.some(({ body }) => body.id === id),
      false,
      'a cancelled batch sends no webhook',
    )
  })

  await t.test('are refused with field, reason and remedy, and cost nothing', async t => {
    const before = (await call('GET', '/scan/batches')).body.items.length
    for (const [body, field, reason] of [
      [{}, 'urls', 'required'],
      [{ urls: [] }, 'urls', 'out_of_range'],
      [{ urls: [7] }, 'urls[0]', 'wrong_type'],
      [{ urls: Array(10_001).fill('http://127.1.1.1/') }, 'urls', 'too_many_urls'],
      [{ urls: good, webhook_url: 'http://10.0.0.1/' }, 'webhook_url', 'private_address'],
      [{ urls: good, webhook_url: 'hook' }, 'webhook_url', 'bad_url'],
      [{ urls: good, user_agent: 'a\nb' }, 'user_agent', 'bad_value'],
      [{ urls: good, max_age_seconds: -1 }, 'max_age_seconds', 'out_of_range'],
    ] as const) {
      const answer = await call('POST', '/scan/batch', body)
      t.match(answer, { status: 400, body: { error: { code: 'invalid_input', field, reason } } })
    }
    const long = Array(1_200).fill(`http://127.1.1.1/${'a'.repeat(1_000)}`)
    // The connection may end before the whole body was sent.
    const tooLong = await call('POST', '/scan/batch', { urls: long }).catch(() => ({ status: 413 }))
    t.equal(tooLong.status, 413)
    for (const path of ['/scan/batches/x', '/scan/batches/999999', '/scan/batches/9e99'])
      t.match((await call('GET', path)).status, /^40[04]$/, path)
    t.equal((await call('GET', '/scan/batches')).body.items.length, before)
  })

  await t.test('have an error for each hostile address, and store no password', async t => {
    const hostile = [
      'http://user:secret@127.1.1.1/',
      `http://127.1.1.1/${'a'.repeat(9_000)}`,
      'file:///etc/passwd',
      'http://[::1]/',
      'http://169.254.169.254/latest/meta-data/',
      'a\0b',
      '\ud800',
      '',
    ]
    const { body } = await call('POST', '/scan/batch', { urls: hostile })
    t.match(await untilEnded(body.id), { counts: { refused: hostile.length, ok: 0, failed: 0 } })
    const items = await itemsOf(body.id, 100)
    t.ok(items.every(({ ok, error }) => !ok && error.length > 0))
    t.strictSame(
      items.map(({ url }) => url),
      hostile.map(url => url.replace('user:secret', '***:***').slice(0, 8192)),
    )
    t.strictSame(await billOf(body.id), [])
    const lines = await fetch(`${system.base}/v1/scan/batches/${body.id}/results?format=ndjson`, {
      headers: { authorization: `Bearer ${key}` },
    })
    t.equal(lines.status, 200)
    const text = (await lines.text()).trimEnd()
    t.strictSame(
      text.split('\n').map(line => JSON.parse(line)),
      items,
    )
  })

  await t.test('belong to their project', async t => {
    const other = await system.createProject('other-batches')
    const [batch] = (await call('GET', '/scan/batches')).body.items
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/results'],
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const)
      t.equal((await system.call(other, method, `/v1/scan/batches/${batch.id}${path}`)).status, 404)
    t.strictSame((await system.call(other, 'GET', '/v1/scan/batches')).body.items, [])
  })

  await t.test('read as many pages as the cap allows', async t => {
    const capped = await system.createProject('capped-batches')
    await system.admin('set-project', '--name', 'capped-batches', '--pages-per-day', '3')
    const some = good.slice(0, 5)
    const { body } = await system.call(capped, 'POST', '/v1/scan/batch', { urls: some })
    await until(async () => {
      const { body: now } = await system.call(capped, 'GET', `/v1/scan/batches/${body.id}`)
      return now.status === 'done'
    })
    const { items } = (await system.call(capped, 'GET', `/v1/scan/batches/${body.id}/results`)).body
    t.equal(items.filter(({ ok }: { ok: boolean }) => ok).length, 3)
    t.equal(items.filter(({ reason }: { reason?: string }) => reason === 'daily_pages').length, 2)
    await until(async () => (await system.call(capped, 'GET', '/v1/usage')).body.today.pages === 3)
    t.match(await system.call(capped, 'POST', '/v1/scan/batch', { urls: some }), { status: 429 })
  })

  await t.test('are deleted with their project', async t => {
    t.match(await system.admin('purge-project', '--name', 'capped-batches', '--yes'), { batches: 1 })
  })
}

async function retryFailed(t: Test, system: System) {
  const origin = await startOrigin({ pages: { '/': paths.map(path => `<a href="${path}">x</a>`).join('') } })
  t.teardown(() => origin.close())
  const receiver = await startReceiver(t)
  const key = await system.createProject('retries', '--unlimited')
  const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
  const retry = (id: number) => call('POST', `/crawls/${id}/retry-failed`)
  const refusal = (reason: string) => ({
    status: 409,
    body: { error: { code: 'conflict', reason, message: String } },
  })
  const coverage = async (id: number) => (await call('GET', `/crawls/${id}/coverage`)).body
  const request = {
    url: `${origin.url}/`,
    delay_ms: 0,
    respect_robots: false,
    trap_guards: false, // its pages are alike
    webhook_url: receiver.url,
  }
  const { id, ...first } = await system.crawl(key, { ...request, max_pages: failing + 1 })

  await t.test('continues the crawl, although processes are killed', async t => {
    t.match(first, { status: 'done', page_count: 1, error_count: failing })
    await until(async () => receiver.hits.length === 1)
    // The last page still fails.
    origin.site(Object.fromEntries(paths.slice(1).map(path => [path, bodyOf(path)])))
    const { status, body } = await retry(id)
    t.equal(status, 200, JSON.stringify(body))
    t.match(body, { id, status: 'running', finished_at: null, stop_reason: null, retried_urls: failing })
    t.match(await retry(id), refusal('run_active'))
    for (let nth = 0; nth < killsOfRetry; nth++) {
      await killNext(system, nth)
      await sleep(sized(300, 4_000))
    }
    t.match(await system.untilEnded(key, id), { status: 'done', page_count: failing, error_count: 1 })
    t.match(await coverage(id), {
      status: 'done',
      discovered: failing + 1,
      fetched: failing,
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
    t.match(receiver.hits.at(-1)?.body, { page_count: failing, error_count: 1 })
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
    const other = await system.createProject('other-retries')
    t.equal((await system.call(other, 'POST', `/v1/crawls/${id}/retry-failed`)).status, 404)
  })

  await t.test('needs a free slot', async t => {
    const slow = { ...request, delay_ms: 60_000 }
    const started = await Promise.all([1, 2, 3, 4, 5].map(() => call('POST', '/crawls', slow)))
    t.match(await retry(id), { status: 429, body: { error: { reason: 'concurrent_runs' } } })
    await Promise.all(started.map(({ body }) => call('DELETE', `/crawls/${body.id}`)))
  })

  await t.test('continues until no failure is left', async t => {
    origin.site({ [paths[0] ?? '']: bodyOf(paths[0] ?? '') })
    t.match(await retry(id), { status: 200, body: { retried_urls: 1 } })
    t.match(await system.untilEnded(key, id), { page_count: failing + 1, error_count: 0 })
    t.match(await retry(id), refusal('no_failures'))
  })
}
