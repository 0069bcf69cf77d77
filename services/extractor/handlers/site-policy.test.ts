/** A site's texts for crawlers, fetched from a real origin and remembered in a real Redis, and without one. */
import zlib from 'node:zlib'
import type { Refusal } from '@tidemark/bus/ask'
import { createClient } from '@tidemark/http/client'
import { fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { createGuard } from '@tidemark/http/guard'
import { systemResolver } from '@tidemark/http/resolve'
import { openRedis } from '@tidemark/redis/connect'
import { siteFilesIn } from '@tidemark/redis/site-files'
import { startOrigin } from '@tidemark/testing/origin'
import { throwawayRedis } from '@tidemark/testing/servers'
import { test } from 'tap'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { createSiteFileCache } from '../adapters/site-file-cache.ts'
import { siteFiles } from '../domain/site-file.ts'
import { robotsPolicy } from './robots-policy.ts'
import { createSiteFiles } from './site-files.ts'
import { createSitePolicies } from './site-policy.ts'

const plain = { 'content-type': 'text/plain' }
const robots = 'User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n'
const wanted = { timeoutMs: 5_000, withFull: true }

test('What a site says to AI bots', { timeout: 60_000 }, async t => {
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

  /** As the fetcher answers. */
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

  await t.test('is fetched once by all who ask, and remembered for others', async t => {
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
    t.same(await process()(origin.url, wanted), one, 'another process remembers it')
    t.same(paths(origin), ['/llms-full.txt', '/llms.txt', '/robots.txt'])
    t.ok((await connection.pttl(`site-policy:${origin.url}/robots.txt`)) <= 3_600_000)
  })

  await t.test('has as much of a long text as is kept, however it comes', async t => {
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
    for (const [text, { most }] of [
      [site.llmsTxt ?? '', siteFiles.llms],
      [site.llmsFullTxt ?? '', siteFiles.llmsFull],
    ] as const)
      t.ok(
        long.startsWith(text) && text.endsWith('note\n') && text.length > most - 100 && text.length <= most,
      )
    t.equal(site.robotsError?.reason, 'protocol')
  })

  await t.test('is not asked for without need, and not waited for', async t => {
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
    t.equal((await read(silent.url, wanted)).robotsStatus, 200, 'a wait that was too short is forgotten')
  })

  await t.test('is told of one address and one crawler', async t => {
    const origin = await open({ pages: { '/robots.txt': { headers: plain, body: robots } } })
    const tell = robotsPolicy({ sitePolicy: process(), robotsToken: 'tidemark', timeoutMs: 5_000 })
    const { verdict, url, ...rest } = await tell({ url: `${origin.url}/private?utm_source=x#top` })
    t.same(verdict, { user_agent: 'tidemark', allowed: false, rule: '/private', agent: '*' })
    t.equal(url, `${origin.url}/private?utm_source=x`)
    t.match(rest, { robots_txt: robots, robots_status: 200, llms_txt: null, content_signals: {} })
    t.match((await tell({ url: origin.url, userAgent: 'GPTBot/1.2' })).verdict, {
      user_agent: 'GPTBot/1.2',
      allowed: false,
      agent: 'gptbot',
    })
    const refused = (url: string, refusal: Partial<Refusal>) => t.rejects(tell({ url }), refusal as Refusal)
    await refused('http://no-such-host.invalid/', { status: 502, code: 'fetch_failed', reason: 'dns' })
    await refused('http://10.0.0.1/', { status: 400, reason: 'private_address' })
  })

  await t.test('is remembered by the process alone while Redis is away', async t => {
    await redis.kill()
    const origin = await open({ pages: { '/robots.txt': { headers: plain, body: robots } } })
    const read = process()
    const first = await read(origin.url, wanted)
    t.equal(first.robotsTxt, robots)
    t.same(await read(origin.url, wanted), first)
    t.equal(origin.hits.length, 3)
    await process()(origin.url, wanted)
    t.equal(origin.hits.length, 6, 'another process asks for itself')
  })
})
