/**
 * Web Bot Auth in a whole system: a site verifies every request of the crawler with the keys that the gateway serves.
 */
import { randomBytes } from 'node:crypto'
import { type Hit, startOrigin } from '@tidemark/testing/origin'
import { verified } from '@tidemark/testing/signatures'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem, startSystem } from './system.ts'

const path = '/.well-known/http-message-signatures-directory'
const page = (...links: string[]) =>
  `<title>Page</title>${links.map(link => `<a href="${link}">x</a>`).join('')}`

test('A site verifies the crawler', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({
    BOT_KEY: randomBytes(32).toString('base64'),
    BOT_KEY_SECOND: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'https://api.example.com',
    USER_AGENT_MODE: 'honest',
  })
  t.teardown(() => system.stop())
  const origin = await startOrigin()
  const other = await startOrigin({ host: '127.1.0.2', pages: { '/there': page() } })
  t.teardown(() => Promise.all([origin.close(), other.close()]))
  origin.site({
    '/robots.txt': `User-agent: *\nDisallow: /private\nSitemap: ${origin.url}/sitemap.xml`,
    '/sitemap.xml': `<urlset><url><loc>${origin.url}/listed</loc></url></urlset>`,
    '/': page('/a', '/moved'),
    '/a': page(),
    '/listed': page(),
    '/moved': { status: 301, headers: { location: '/b' } },
    '/b': page(),
    '/away': { status: 302, headers: { location: `${other.url}/there` } },
  })
  const key = await system.createProject('signed')
  const { status, headers, body } = await system.call(null, 'GET', path)
  t.equal(status, 200)
  const directory = { headers: Object.fromEntries(headers), authority: 'api.example.com' }
  const [first] = verified(directory, body.keys, 'http-message-signatures-directory', Date.now() / 1000)
  const keysOf = (hits: Hit[]) =>
    hits.map(({ headers }) => {
      const message = { headers, authority: String(headers.host) }
      return verified(message, body.keys, 'web-bot-auth', Date.now() / 1000)[0]?.keyid
    })

  await t.test('by each request of crawls', async t => {
    t.match(await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0 }), {
      status: 'done',
      page_count: 3,
    })
    const listed = await system.crawl(key, { url: origin.url, seed_kind: 'sitemap', delay_ms: 0 })
    t.match(listed, { status: 'done', page_count: 1 })
    const paths = new Set(origin.hits.map(({ path }) => path))
    for (const path of ['/robots.txt', '/sitemap.xml', '/', '/a', '/moved', '/b', '/listed'])
      t.ok(paths.has(path), path)
    t.strictSame(new Set(keysOf(origin.hits)), new Set([first?.keyid]), 'the first key signs')
  })

  await t.test('by each request of a scan, also after a redirect to another host', async t => {
    origin.hits.length = 0
    t.match(await system.call(key, 'POST', '/v1/scan', { url: `${origin.url}/away` }), { status: 200 })
    t.ok(origin.hits.some(({ path }) => path === '/away'))
    t.ok(other.hits.some(({ path }) => path === '/there'))
    t.strictSame(new Set(keysOf([...origin.hits, ...other.hits])), new Set([first?.keyid]))
  })
})

test('Without a key nothing is signed, and there is no directory', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: { '/': page() } })
  t.teardown(() => origin.close())
  const key = await system.createProject('unsigned')
  t.match(await system.crawl(key, { url: `${origin.url}/` }), { status: 'done' })
  t.ok(origin.hits.length > 0)
  for (const { headers } of origin.hits)
    t.notOk(Object.keys(headers).some(name => name.startsWith('signature')))
  t.equal((await system.call(null, 'GET', path)).status, 404)
})
