/** Signed requests: a site verifies each request that the crawler sends in its own name, and no other one is signed. */
import { randomBytes } from 'node:crypto'
import { call } from '@tidemark/bus/rpc'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { readSigningKey } from '@tidemark/http-signatures/signing-key'
import { sealer } from '@tidemark/secrets/seal'
import { type Hit, type Origin, startOrigin } from '@tidemark/testing/origin'
import { startProxy } from '@tidemark/testing/proxy'
import { verified } from '@tidemark/testing/signatures'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { isSignable } from './domain/signable.ts'
import { orders, startScene } from './fetcher.scene.ts'

const BOT_KEY = randomBytes(32).toString('base64')
const { jwk } = readSigningKey(BOT_KEY)
const signing = {
  BOT_KEY,
  BOT_DIRECTORY_URL: 'https://crawler.example.com',
  USER_AGENT_MODE: 'honest',
  USER_AGENT: 'Tidemark-Test/1',
}
const { seal } = sealer('0'.repeat(64))
const html = { 'content-type': 'text/html; charset=utf-8' }

/** Returns the names of the components that the request's valid signature covers. @throws Error without one */
const componentsOf = ({ headers }: Hit) =>
  verified({ headers, authority: String(headers.host) }, [jwk], 'web-bot-auth', Date.now() / 1000)[0]
    ?.components

const isUnsigned = ({ headers }: Hit) =>
  ['signature', 'signature-input', 'signature-agent'].every(name => headers[name] === undefined)

test('Signed requests', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  const other = await startOrigin({ host: '127.1.0.2' })
  t.teardown(() => Promise.all([scene.close(), origin.close(), other.close()]))
  let runs = 0
  /** Fetches one URL for a run, and returns the requests that arrived at both sites. */
  async function hitsOf(url: string, more: Partial<FetchOrders> = {}, kind?: 'robots' | 'sitemap') {
    for (const { hits } of [origin, other]) hits.length = 0
    const runId = ++runs
    await scene.order(orders(runId, [{ url, ...(kind && { kind }) }], more))
    await scene.cameOf(runId, 1)
    return [...origin.hits, ...other.hits]
  }

  await t.test('are off by default', async t => {
    const plain = await scene.start({ USER_AGENT_MODE: 'honest' })
    const [hit] = await hitsOf(`${origin.url}/plain`)
    t.ok(hit && isUnsigned(hit))
    await plain.stop()
  })

  const running = await scene.start(signing)

  await t.test('are those for pages, robots.txt and sitemaps, with redirects to other hosts', async t => {
    const to = (path: string) => ({ status: 302, headers: { location: other.url + path } })
    origin.site({ '/robots.txt': to('/robots.txt'), '/sitemap.xml': to('/sitemap.xml') })
    other.site({ '/robots.txt': 'User-agent: *', '/sitemap.xml': '<urlset/>' })
    const all = [
      await hitsOf(`${origin.url}/plain`),
      await hitsOf(`${origin.url}/robots.txt`, {}, 'robots'),
      await hitsOf(`${origin.url}/sitemap.xml`, {}, 'sitemap'),
    ]
    t.same(
      all.map(hits => hits.map(({ headers }) => headers.host)),
      [[authority(origin)], [authority(origin), authority(other)], [authority(origin), authority(other)]],
    )
    for (const hit of all.flat()) {
      t.strictSame(componentsOf(hit), ['"@authority"', '"signature-agent";key="sig1"'], hit.path)
      t.match(hit.headers, {
        'signature-agent': 'sig1="https://crawler.example.com"',
        'user-agent': 'Tidemark-Test/1',
      })
    }
    t.not(all[1]?.[0]?.headers.signature, all[1]?.[1]?.headers.signature, 'each host has its own signature')
  })

  await t.test('are those of synchronous requests', async t => {
    for (const { hits } of [origin, other]) hits.length = 0
    const url = `${origin.url}/redirect-to?url=${encodeURIComponent(`${other.url}/plain`)}`
    const limits = { maxHops: 3, maxBytes: 1e6, cuts: false, timeoutMs: 5_000 }
    await call(scene.bus, fetchRpc.fetchNow, { workId: -1, url, ...limits }, { timeoutMs: 10_000 })
    const hits = [...origin.hits, ...other.hits]
    t.equal(hits.length, 2)
    for (const hit of hits) t.ok(componentsOf(hit))
  })

  await t.test('have headers and cookies of the client, but not its name', async t => {
    const more = { headers: seal('{"X-Own":"word"}'), cookies: seal('a=b'), userAgent: 'InternalCrawler/1' }
    const [hit] = await hitsOf(`${origin.url}/plain`, more)
    t.ok(hit && componentsOf(hit))
    t.match(hit?.headers, { 'x-own': 'word', cookie: 'a=b' })
    const named: Partial<FetchOrders>[] = [
      { userAgent: 'Own/1' },
      { userAgent: signing.USER_AGENT },
      { headers: seal('{"User-Agent":"Own/1"}') },
    ]
    for (const more of named) {
      const [hit] = await hitsOf(`${origin.url}/plain`, more)
      t.ok(hit && isUnsigned(hit), JSON.stringify(more))
    }
    const [own] = await hitsOf(`${origin.url}/plain`, { headers: seal('{"Signature":"sig=:AA==:"}') })
    t.match(own?.headers, { signature: 'sig=:AA==:' }, "a client's own signature stays as it is")
    t.equal(own?.headers['signature-input'], undefined)
  })

  await t.test('do not pass through proxies', async t => {
    await using proxy = await startProxy({ kind: 'http' })
    const [hit] = await hitsOf(`${origin.url}/plain`, { proxy: seal(proxy.url) })
    t.ok(hit && isUnsigned(hit))
    t.notOk(isSignable({ proxyPool: { pool: 'isp', country: null } }, {}))
  })

  await t.test('have the earlier form on request', async t => {
    await running.stop()
    await scene.start({ ...signing, BOT_AGENT_FORM: 'string' })
    const [hit] = await hitsOf(`${origin.url}/plain`)
    t.strictSame(hit && componentsOf(hit), ['"@authority"', '"signature-agent"'])
    t.equal(hit?.headers['signature-agent'], '"https://crawler.example.com"')
  })
})

test('A browser signs the requests for the document of the page', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  const other = await startOrigin({
    host: '127.1.0.2',
    pages: {
      '/shown': {
        headers: html,
        body: `<title>Shown</title><img src=/picture><iframe src=/frame></iframe><script>fetch('/data')</script>`,
      },
      '/picture': 'x',
      '/frame': { headers: html, body: 'Frame' },
      '/data': 'data',
    },
  })
  const moved = { status: 302, headers: { location: `${other.url}/shown` } }
  const origin = await startOrigin({ pages: { '/moved': moved } })
  t.teardown(() => Promise.all([scene.close(), origin.close(), other.close()]))
  await scene.start({ ...signing, FETCH_LANES: 'browser' })
  await scene.order(orders(1, [{ url: `${origin.url}/moved` }]), 'browser')
  await until(() => other.hits.some(({ path }) => path === '/data'))
  await scene.cameOf(1, 1)
  const hits = [...origin.hits, ...other.hits].filter(({ path }) => path !== '/favicon.ico')
  t.same(hits.map(({ path }) => path).sort(), ['/data', '/frame', '/moved', '/picture', '/shown'])
  for (const hit of hits)
    if (['/moved', '/shown'].includes(hit.path)) t.ok(componentsOf(hit), hit.path)
    else t.ok(isUnsigned(hit), hit.path)
})

test('Wrong settings of signatures fail the start, with each fault', async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const starting = (env: Record<string, string>) => scene.start({ ...signing, ...env })
  await t.rejects(starting({ BOT_KEY: 'secret' }), /BOT_KEY must be an Ed25519 private key/)
  await t.rejects(
    starting({ BOT_DIRECTORY_URL: '', PUBLIC_URL: 'http://api.example.com', USER_AGENT_MODE: '' }),
    /BOT_DIRECTORY_URL is missing[\s\S]*USER_AGENT_MODE must be honest/,
  )
  await t.rejects(starting({ BOT_AGENT_FORM: 'list' }), /BOT_AGENT_FORM must be one of dictionary, string/)
})

const authority = ({ host, port }: Origin) => `${host}:${port}`
