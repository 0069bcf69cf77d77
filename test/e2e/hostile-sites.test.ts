import { startOrigin } from '@tidemark/testing/origin'
import { startCanary } from '@tidemark/testing/origin-canary'
import { test } from 'tap'
import { startSystem } from './system.ts'

/** Each misbehaviour with the end of a crawl that starts there. */
const endings: [path: string, ending: { status: string; page_count: number; error_count: number }][] = [
  ['/never-answers', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/header-drip', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/body-drip', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/stalls-at-99', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/accepts-and-closes', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/resets-mid-body', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/lying-length-long', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/endless', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/redirect-loop', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/redirect-chain/50', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/gzip-bomb', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/brotli-bomb', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/huge-header', { status: 'failed', page_count: 0, error_count: 1 }],
  ['/redirect-chain/3', { status: 'done', page_count: 1, error_count: 0 }],
  ['/gzip', { status: 'done', page_count: 1, error_count: 0 }],
  ['/brotli', { status: 'done', page_count: 1, error_count: 0 }],
  ['/zstd', { status: 'done', page_count: 1, error_count: 0 }],
  ['/status/404', { status: 'done', page_count: 1, error_count: 0 }],
  ['/status/500', { status: 'done', page_count: 1, error_count: 0 }],
]

test('Hostile sites', async t => {
  const origin = await startOrigin()
  t.teardown(() => origin.close())
  const system = await startSystem({
    FETCH_TIMEOUT_MS: '1500',
    MAX_BODY_BYTES: '1000000',
    MAX_DECODED_BYTES: '1000000',
  })
  t.teardown(() => system.stop())

  await t.test('count as a page or an error, and the run ends', async t => {
    const projects = await Promise.all(
      [1, 2, 3, 4].map(n => system.createProject(`hostile-${n}`, '--unlimited')),
    )
    await Promise.all(
      endings.map(async ([path, ending], n) => {
        const key = projects[n % projects.length] as string
        // On one host, slow responses would delay the others.
        const host = await startOrigin({ host: `127.1.3.${n + 1}` })
        t.teardown(() => host.close())
        const request = { url: host.url + path, delay_ms: 0, respect_robots: false, depth: 1 }
        const { status, page_count, error_count, error_message } = await system.crawl(key, request)
        t.strictSame({ status, page_count, error_count }, ending, `${path}: ${error_message}`)
      }),
    )
  })

  await t.test('never lead to a private address, neither directly nor by a redirect', async t => {
    const canary = await startCanary()
    t.teardown(() => canary.close())
    const key = await system.createProject('private', '--unlimited')
    const inside = `http://127.0.0.1:${canary.port}/`
    for (const url of [
      inside,
      `http://2130706433:${canary.port}/`,
      `http://[::1]:${canary.port}/`,
      'http://169.254.169.254/',
      'http://localhost/',
    ]) {
      const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url })
      t.match(
        { status, ...body.error },
        { status: 400, code: 'invalid_input', field: 'url', reason: 'private_address' },
        url,
      )
    }
    const redirecting = `${origin.url}/redirect-to?url=${encodeURIComponent(inside)}`
    const run = await system.crawl(key, { url: redirecting, delay_ms: 0, respect_robots: false })
    t.match(run, { status: 'failed', page_count: 0, error_count: 1 })
    t.equal(canary.hits, 0)
    t.strictSame((await system.call(key, 'GET', '/v1/crawls')).body.items.length, 1)
  })

  await t.test('are billed only for fetched pages', async t => {
    const key = await system.createProject('billed', '--unlimited')
    origin.site({
      '/shop': '<a href="/shop/1">1</a><a href="/shop/2">2</a><a href="/accepts-and-closes">x</a>',
      '/shop/1': 'one',
      '/shop/2': 'two',
    })
    const run = await system.crawl(key, { url: `${origin.url}/shop`, delay_ms: 0, respect_robots: false })
    t.match(run, { status: 'done', page_count: 3, error_count: 1 })
    let usage = 0
    for (let tries = 0; tries < 50 && usage !== 3; tries++) {
      usage = (await system.call(key, 'GET', '/v1/usage')).body.today.pages
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    t.equal(usage, 3)
  })
})
