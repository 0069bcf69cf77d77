/** A site's texts for crawlers, fetched from a real origin, with and without a real Redis. */

import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import zlib from 'node:zlib'
import type { Refusal } from '@tidemark/bus/refusal'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { createClient } from '@tidemark/http/client'
import { fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { createGuard } from '@tidemark/http/guard'
import { openRedis } from '@tidemark/redis/connect'
import { siteFilesIn } from '@tidemark/redis/site-files'
import { startOrigin } from '@tidemark/testing/origin'
import { throwawayRedis } from '@tidemark/testing/servers'
import { patient } from '@tidemark/testing/slowness'
import { systemResolver } from '@tidemark/testing/system-resolver'
import { test } from 'tap'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { createSiteFileCache } from '../adapters/site-file-cache.ts'
import { siteFiles } from '../domain/site-file.ts'
import { mapSite } from './map/map-site.ts'
import { robotsPolicy } from './robots-policy.ts'
import { createSiteFiles } from './site-files.ts'
import { createSitePolicies } from './site-policy.ts'

const plain = { 'content-type': 'text/plain' }
const robots = 'User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n'
const wanted = { timeoutMs: 5_000, withFull: true }

test('The policy of a site for AI bots', { timeout: patient(300_000) }, async t => {
  const redis = await throwawayRedis()
  const connection = await openRedis(redis.url, { away: () => {}, back: () => {} })
  const guard = createGuard({ allow: ['127.1.0.0/16'] })
  const client = createClient({
    guard,
    resolver: systemResolver,
    connectTimeoutMs: 5_000,
    connectionsPerOrigin: 4,
  })
  t.teardown(async () => {
    connection.disconnect()
    await Promise.all([client.close(), redis.stop()])
  })

  /** Responds like the fetcher. */
  const fetchNow: FetchPage = async ({ url, maxBytes, cuts, maxHops, timeoutMs }) => {
    try {
      const fetched = await fetchPage(client, { url, maxBytes, cuts, maxHops, timeoutMs })
      const { 'content-type': contentType = null } = fetched.headers
      return { ...fetched, is: 'fetched', contentType, robotsHeader: null, headers: {} }
    } catch (thrown) {
      const { code: reason, message, hops } = FetchError.from(thrown)
      return { is: 'failed', reason, message, hops }
    }
  }
  const process = () => {
    const cache = createSiteFileCache(siteFilesIn(connection))
    return createSitePolicies(createSiteFiles({ fetchPage: fetchNow, cache }))
  }
  const open = async (pages: Parameters<typeof startOrigin>[0] extends infer O ? O : never) => {
    const origin = await startOrigin(pages)
    t.teardown(() => origin.close())
    return origin
  }
  const paths = ({ hits }: Awaited<ReturnType<typeof startOrigin>>) => hits.map(({ path }) => path).sort()

  await t.test('is fetched once for all callers, and cached for others', async t => {
    const origin = await open({
      pages: {
        '/robots.txt': { headers: plain, body: robots },
        '/llms.txt': { headers: { ...plain, 'content-encoding': 'gzip' }, body: zlib.gzipSync('# Site') },
      },
    })
    const first = process()
    const [one, two] = await Promise.all([first(origin.url, wanted), first(origin.url, wanted)])
    t.same(one, two)
    t.match(one, {
      origin: origin.url,
      robotsStatus: 200,
      robotsTxt: robots,
      llmsTxt: '# Site',
      llmsFullTxt: null,
      aiBotPolicy: { GPTBot: 'disallowed', CCBot: 'partial' },
    })
    t.same(await first(origin.url, wanted), one)
    t.same(await process()(origin.url, wanted), one, 'another process has it from the cache')
    t.same(paths(origin), ['/llms-full.txt', '/llms.txt', '/robots.txt'])
    t.ok((await connection.pttl(`site-policy:${origin.url}/robots.txt`)) <= 3_600_000)
  })

  await t.test('is cached for others only while it is small, so that no site fills the cache', async t => {
    const usual = `${robots}${Array.from({ length: 2_000 }, (_, n) => `Disallow: /section-${n % 40}/${(n * 7_919) % 10_007}/\n`).join('')}`
    const random = `# ${randomBytes(150 * 1024).toString('base64')}\n`
    const origin = await open({
      pages: {
        '/robots.txt': { headers: plain, body: usual },
        '/llms.txt': { headers: plain, body: random },
      },
    })
    const stored = (path: string) => connection.strlen(`site-policy:${origin.url}${path}`)
    const first = process()
    t.match(await first(origin.url, wanted), { robotsTxt: usual, llmsTxt: random })
    const size = await stored('/robots.txt')
    t.ok(size > 0 && size < 16 * 1024, `${usual.length} bytes of robots.txt become ${size}`)
    t.equal(await stored('/llms.txt'), 0)
    t.match(await first(origin.url, wanted), { llmsTxt: random }, 'this process has it')
    t.match(await process()(origin.url, wanted), { robotsTxt: usual, llmsTxt: random })
    t.same(paths(origin), ['/llms-full.txt', '/llms.txt', '/llms.txt', '/robots.txt'], 'another requests it')
    const llms = `${origin.url}/llms.txt`
    const [files, found] = [siteFilesIn(connection), { fetchedAt: new Date().toISOString(), status: 200 }]
    const file = { ...found, error: null, text: 'small', truncated: false }
    t.equal(await files.keep(llms, file), true)
    t.match(await files.find(llms), { text: 'small' })
    t.equal(await files.keep(llms, { ...file, text: random }), false)
    t.equal(await files.find(llms), null, 'nor is its earlier version found')
    await connection.set(`site-policy:${llms}`, 'no such form')
    t.equal(await files.find(llms), null, 'nor a form that cannot be read')
  })

  await t.test('has the beginning of a long text, for any transfer', async t => {
    const long = '- [A page](/a): with a note\n'.repeat(100_000)
    const origin = await open({
      pages: {
        '/robots.txt': { headers: { ...plain, 'content-encoding': 'br' }, body: 'no brotli' },
        '/llms.txt': { headers: plain, body: long },
        '/llms-full.txt': {
          headers: { ...plain, 'content-encoding': 'zstd' },
          body: zlib.zstdCompressSync(long),
        },
      },
    })
    const site = await process()(origin.url, wanted)
    t.match(site, { llmsTruncated: true, llmsFullTruncated: true, robotsStatus: null })
    for (const [text, { maxBytes }] of [
      [site.llmsTxt ?? '', siteFiles.llms],
      [site.llmsFullTxt ?? '', siteFiles.llmsFull],
    ] as const)
      t.ok(
        long.startsWith(text) &&
          text.endsWith('note\n') &&
          text.length > maxBytes - 100 &&
          text.length <= maxBytes,
      )
    t.equal(site.robotsError?.reason, 'protocol')
  })

  await t.test('is not requested without need, and not waited for', async t => {
    const origin = await open({ pages: { '/robots.txt': { headers: plain, body: robots } } })
    const read = process()
    await read(origin.url, { timeoutMs: 5_000, withFull: false })
    t.same(paths(origin), ['/llms.txt', '/robots.txt'])
    const silent = await open({
      pages: { '/robots.txt': { status: 302, headers: { location: '/never-answers' } } },
    })
    const patient = read(silent.url, { timeoutMs: 2_000, withFull: false })
    const hasty = await read(silent.url, { timeoutMs: 100, withFull: false })
    t.match(hasty.robotsError, { reason: 'timeout' })
    t.match((await patient).robotsError, { reason: 'timeout' })
    silent.site({ '/robots.txt': { headers: plain, body: '' } })
    t.equal((await read(silent.url, wanted)).robotsStatus, 200, 'a timeout is not cached')
  })

  await t.test('is requested again if the first caller left, or had little time', async t => {
    type Came = Awaited<ReturnType<FetchPage>>
    const requested: { workId: number; timeoutMs: number; end: (came: Came) => void }[] = []
    const fetchPage: FetchPage = ({ workId, timeoutMs }) =>
      new Promise(end => requested.push({ workId, timeoutMs, end }))
    const read = createSiteFiles({ fetchPage, cache: { find: async () => null, keep: async () => {} } })
    const by = (workId: number, timeoutMs = 5_000) =>
      read('https://a.example', 'robots', { workId, timeoutMs })
    const answer = async (came: Came) => {
      await setImmediate()
      const [next, ...more] = requested.splice(0)
      next?.end(came)
      return [next?.workId, more.length]
    }
    const url = 'https://a.example/robots.txt'
    const found: Came = {
      ...{ is: 'fetched', url, status: 200, hops: [], contentType: 'text/plain', robotsHeader: null },
      ...{ headers: {}, encodings: [], elapsedMs: 1, body: Buffer.from(robots) },
    }
    const failed = (reason: string): Came => ({ is: 'failed', reason, message: reason, hops: [] })
    const endings = (files: Promise<SiteFile>[]) =>
      Promise.all(files).then(all => all.map(({ status, error }) => error?.reason ?? status))

    const leaving = [by(-1), by(-2), by(-3), by(-1)]
    t.strictSame(await answer(failed('aborted')), [-1, 0])
    t.strictSame(await answer(found), [-2, 0], 'with the work id of a waiting caller, once for all')
    t.strictSame(await endings(leaving), ['aborted', 200, 200, 'aborted'])
    const hasty = [by(-1, 1), by(-1), by(-2, 100)]
    t.strictSame(await answer(failed('timeout')), [-1, 0])
    t.strictSame(await answer(found), [-1, 0], 'even with the same work id, if there is more time')
    t.strictSame(await endings(hasty), ['timeout', 200, 'timeout'])
    const broken = [by(-1), by(-2)]
    t.strictSame(await answer(failed('dns')), [-1, 0])
    t.strictSame(await endings(broken), ['dns', 'dns'])
    t.equal(requested.length, 0, 'and not again for an error that every caller would get')
  })

  await t.test('applies to one URL and one crawler', async t => {
    const origin = await open({ pages: { '/robots.txt': { headers: plain, body: robots } } })
    const policyOf = robotsPolicy({ sitePolicy: process(), robotsToken: 'tidemark', timeoutMs: 5_000 })
    const { verdict, url, ...rest } = await policyOf({ url: `${origin.url}/private?utm_source=x#top` })
    t.same(verdict, { user_agent: 'tidemark', allowed: false, rule: '/private', agent: '*' })
    t.equal(url, `${origin.url}/private?utm_source=x#top`, 'as requested')
    t.match(rest, { robots_txt: robots, robots_status: 200, llms_txt: null })
    t.strictSame(rest.content_signals, {})
    t.match((await policyOf({ url: origin.url, userAgent: 'GPTBot/1.2' })).verdict, {
      user_agent: 'GPTBot/1.2',
      allowed: false,
      agent: 'gptbot',
    })
    const refused = (url: string, refusal: Partial<Refusal>) =>
      t.rejects(policyOf({ url }), refusal as Refusal)
    await refused('http://no-such-host.invalid/', { status: 502, code: 'fetch_failed', reason: 'dns' })
    await refused('http://10.0.0.1/', { status: 400, reason: 'private_address' })
  })

  await t.test('applies to a map of the site', async t => {
    const sitemap = (...paths: string[]) =>
      `<urlset>${paths.map(path => `<url><loc>${path}</loc></url>`).join('')}</urlset>`
    const long = sitemap(...Array.from({ length: 40_000 }, (_, n) => `/${'long/'.repeat(60)}${n}`))
    const html = { 'content-type': 'text/html' }
    const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }
    const page = (body: string | Buffer, headers: Record<string, string> = {}) => ({
      headers: { ...html, ...headers },
      body,
    })
    const names = ['/s.xml', '/no.xml', '/long.xml', '/long.xml.gz', '/long.br', '/more.xml']
    const origin = await open({
      pages: {
        '/robots.txt': {
          headers: plain,
          body: `User-agent: mapper\nDisallow: /secret\n${names.map(name => `Sitemap: ${name}\n`).join('')}`,
        },
        '/': page(
          `<title>Home</title><a href=/a>A</a><!--${'x'.repeat(3 * 1024 ** 2)}--><a href=/late>late</a>`,
        ),
        '/silent': page('<a href=/a>A</a>', { 'x-robots-tag': 'mapper: nofollow' }),
        '/s.xml': page(sitemap('/b', '/c')),
        '/long.xml': page(long),
        '/long.xml.gz': page(zlib.gzipSync(long)),
        '/long.br': page(zlib.brotliCompressSync(long, quick), { 'content-encoding': 'br' }),
        '/no.xml': { status: 404, headers: html, body: '' },
      },
    })
    let underWay = 0
    let max = 0
    const cache = createSiteFileCache(siteFilesIn(connection))
    const fetchPage: FetchPage = async request => {
      max = Math.max(max, ++underWay)
      const answer = await fetchNow(request).finally(() => underWay--)
      return answer.is === 'fetched' && answer.url.endsWith('/silent')
        ? { ...answer, robotsHeader: 'mapper: nofollow' }
        : answer
    }
    const readSiteFile = createSiteFiles({ fetchPage, cache })
    const map = mapSite({ fetchPage, readSiteFile, robotsToken: 'mapper', timeoutMs: 25_000 })
    const requested = { limit: 50_000, search: null, subdomains: false, sitemaps: true, respectRobots: true }
    await createSitePolicies(readSiteFile)(origin.url, wanted)
    max = 0

    const { items, sources, truncated, warnings } = await map({ ...requested, url: `${origin.url}/` })
    t.ok(['/', '/a', '/b', '/c'].every(path => items.some(({ url }) => url === origin.url + path)))
    t.notOk(items.some(({ url }) => url.endsWith('/late')))
    t.match([truncated, warnings], [true, [/only the beginning of the home page/]])
    t.same(
      sources.sitemaps.map(({ url, status, cut }) => [url.slice(origin.url.length), status, cut]),
      [
        ['/s.xml', 200, null],
        ['/no.xml', 404, null],
        ...['/long.xml', '/long.xml.gz', '/long.br'].map(path => [
          path,
          200,
          'the part after its first 10 MB',
        ]),
        ['/more.xml', 404, null],
      ],
    )
    t.ok(sources.sitemaps.slice(2, 5).every(({ urls }) => urls > 30_000 && urls < 40_000))
    t.ok(max <= 2, 'at most two of its sitemaps are fetched concurrently')
    t.equal(paths(origin).filter(path => path === '/robots.txt').length, 1, 'it is not requested again')

    t.match(await map({ ...requested, url: `${origin.url}/secret`, sitemaps: false }), {
      warnings: ['the home page was not read: robots.txt disallows it: /secret'],
    })
    t.equal((await map({ ...requested, url: `${origin.url}/silent`, sitemaps: false })).items.length, 1)

    const refusing = async (robots: { status?: number; headers: Record<string, string>; body: string }) => {
      const other = await open({ pages: { '/robots.txt': robots, '/': page('<a href=/a>A</a>') } })
      return map({ ...requested, url: `${other.url}/` })
    }
    t.match(await refusing({ status: 429, headers: plain, body: '' }), {
      items: { length: 0 },
      truncated: true,
      warnings: [/robots.txt responded with 429, which disallows everything/],
    })
    const broken = { headers: { ...plain, 'content-encoding': 'br' }, body: 'no brotli' }
    await t.rejects(refusing(broken), { status: 502, code: 'fetch_failed', reason: 'protocol' } as Refusal)
    t.equal((await refusing({ status: 404, headers: plain, body: 'Disallow: /' })).items.length, 2)
  })

  await t.test('is cached only in the process while Redis is down', async t => {
    await redis.kill()
    const origin = await open({ pages: { '/robots.txt': { headers: plain, body: robots } } })
    const read = process()
    const first = await read(origin.url, wanted)
    t.equal(first.robotsTxt, robots)
    t.same(await read(origin.url, wanted), first)
    t.equal(origin.hits.length, 3)
    await process()(origin.url, wanted)
    t.equal(origin.hits.length, 6, 'another process sends its own requests')
  })
})

test('A policy says so if the llms.txt could not be read', async t => {
  const read = {
    robotsStatus: 404,
    robotsTxt: null,
    aiBotPolicy: {},
    contentSignals: [],
    fetchedAt: '',
    llmsTxt: null,
  }
  const warningsFor = async (llmsStatus: number | null) => {
    const ports = { sitePolicy: async () => ({ ...read, llmsStatus }), robotsToken: 'Bot', timeoutMs: 1 }
    return (await robotsPolicy(ports as never)({ url: 'https://a.example/' } as never)).warnings
  }
  for (const status of [null, 429, 500, 503])
    t.match(await warningsFor(status), [/llms\.txt could not be read/])
  for (const status of [200, 403, 404]) t.equal(await warningsFor(status), undefined, `${status}`)
})
