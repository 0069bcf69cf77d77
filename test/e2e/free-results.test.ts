/**
 * Failures and challenges cost nothing, and a project may receive at most ten times its daily cap of them. A batch and
 * a crawl that receive nothing else come to an end, and later requests are refused until the next day.
 */
import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const refused = { status: 429, body: { error: { code: 'too_many_requests', reason: 'free_results' } } }

test('Results that cost nothing', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const { call } = system
  const capped = async (name: string, pages: number) => {
    const key = await system.createProject(name)
    await system.admin('set-project', '--name', name, '--pages-per-day', String(pages))
    return key
  }

  // Billing takes ten rounds of several seconds each.
  const skip = !isFullTier && 'only npm run test:full waits for it'
  await t.test('of a batch end at ten daily caps', { skip }, async t => {
    const key = await capped('probing', 12)
    const paths = Array.from({ length: 160 }, (_, n) => `/${n}`)
    const origin = await startOrigin({ pages: Object.fromEntries(paths.map(path => [path, challenge])) })
    t.teardown(() => origin.close())
    const closed = await startOrigin()
    await closed.close()
    const urls = [
      ...paths.slice(0, 6).map(path => closed.url + path),
      ...paths.map(path => origin.url + path),
    ]
    const { body: batch } = await call(key, 'POST', '/v1/scan/batch', { urls, concurrency: 4 })
    await until(
      async () => (await call(key, 'GET', `/v1/scan/batches/${batch.id}`)).body.status === 'done',
      120_000,
    )
    const { items } = (await call(key, 'GET', `/v1/scan/batches/${batch.id}/results?limit=1000`)).body
    const count = (wanted: string) =>
      items.filter(({ reason }: { reason?: string }) => reason === wanted).length
    const blocked = items.filter(({ result }: { result?: { blocked: boolean } }) => result?.blocked).length
    t.ok(count('connect') > 0, `${count('connect')} URLs failed`)
    t.ok(blocked + count('connect') > 120, 'the limit is ten caps')
    t.ok(count('free_results') > 0, `${count('free_results')} URLs were not requested`)
    t.equal(blocked + count('connect') + count('free_results'), urls.length)

    for (const path of ['/v1/scan', '/v1/actors/extract-article', '/v1/crawls']) {
      const answer = await call(key, 'POST', path, { url: closed.url })
      t.match(answer, refused, path)
      t.ok(Number(answer.headers.get('retry-after')) > 0, 'until midnight')
    }
    t.match(await call(key, 'POST', '/v1/scan/batch', { urls }), refused)
    t.equal((await call(key, 'GET', '/v1/usage')).body.today.pages, 0)
    const other = await capped('not-probing', 4)
    t.match(await call(other, 'POST', '/v1/scan', { url: closed.url }), { status: 502 })
  })

  await t.test('of a crawl end it with the stop reason of the quota', async t => {
    const key = await capped('challenged', 10)
    const paths = Array.from({ length: 300 }, (_, n) => `/${n}`)
    const origin = await startOrigin({
      pages: {
        '/': paths.map(path => `<a href="${path}">${path}</a>`).join(' '),
        ...Object.fromEntries(paths.map(path => [path, challenge])),
      },
    })
    t.teardown(() => origin.close())
    const request = { url: `${origin.url}/`, max_pages: 1_000, delay_ms: 0, respect_robots: false }
    const run = await system.crawl(key, request)
    t.match(run, { status: 'done', stop_reason: 'quota' })
    t.ok(run.page_count > 100 && run.page_count < 300, `${run.page_count} pages`)
    t.match(await call(key, 'POST', '/v1/scan', { url: origin.url }), refused)
    t.equal((await call(key, 'GET', '/v1/usage')).body.today.pages, 1)
  })
})
