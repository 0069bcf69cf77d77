/** A scrape as its client sees it: the fetched URL, the entries, and the refusals. */

import { encodeJson } from '@tidemark/bus/codec'
import { Refusal } from '@tidemark/bus/refusal'
import { call, serve } from '@tidemark/bus/rpc'
import type { GetPage } from '@tidemark/contracts/rpc/cloud'
import type { FetchedNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import * as scrapersRpc from '@tidemark/contracts/rpc/scrapers'
import { ListScrapersResponse, type ScrapeSite, ScrapeSiteResponse } from '@tidemark/contracts/rpc/scrapers'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { createContentThread } from '../adapters/content-thread.ts'
import { known, scrapers, whole } from '../domain/scrapers/scrapers.scene.ts'
import { startScene } from '../extractor.scene.ts'
import { scrapeSite } from './scrape-site.ts'

const request = { workId: -7, projectId: 3, timeoutMs: 9_000, params: {} }
const answered = { status: 200, backend: 'faithful' as const, tried: [], costUsd: 0.001 }
const read = { challenge: null, warnings: [] as string[] }

test('A scrape', { timeout: patient(300_000) }, async t => {
  await using thread = createContentThread(60_000)
  const requested: GetPage[] = []
  const pages = new Map<string, { status?: number; content?: object; warnings?: string[] }>()
  const getPage = async (request: GetPage) => {
    requested.push(request)
    const { url } = request
    const { content = { ...read, html: '<p>nothing</p>' }, warnings = [], ...page } = pages.get(url) ?? {}
    const rest = {
      fetchedAt: '2026-01-02T03:04:05.678Z',
      pool: null,
      country: null,
      moved: null,
      picture: null,
    }
    return { page: { url, ...answered, ...rest, ...page }, content: encodeJson(content), warnings }
  }
  const scrape = scrapeSite({ scrapers, getPage, thread, followsRobots: true })

  await t.test('fetches the page by the cheapest possible backend, and returns its entries', async t => {
    for (const { scraper, saved } of known) {
      const { path, params = {}, url, page, data } = saved.full
      pages.set(url, { content: { ...read, html: page } })
      const answer = await scrape({ ...request, domain: scraper.domain, path, params })
      t.ok(Check(ScrapeSiteResponse, answer))
      const entries = data.map(entry => whole(scraper, entry))
      t.strictSame(answer, { ...answered, url, data: entries, challenge: null, warnings: [] })
    }
    t.match(requested[0], {
      workId: -7,
      projectId: 3,
      timeoutMs: 9_000,
      means: { is: 'auto', from: 'http' },
      wanted: { html: true, markdown: null },
      picture: false,
      respectRobots: true,
    })
    const [
      ,
      {
        scraper: { domain },
        saved: {
          full: { path },
        },
      },
    ] = known as [unknown, (typeof known)[number]]
    await scrapeSite({ scrapers, getPage, thread, followsRobots: false })({ ...request, domain, path })
    t.equal(requested.at(-1)?.respectRobots, false)
  })

  await t.test('returns no entries, with a reason, if the page is not as expected', async t => {
    const url = 'https://pypi.org/pypi/x/json'
    const send = (params = {}) => scrape({ ...request, domain: 'pypi.org', path: 'project/x', params })
    t.match(await send({ tide: 1 }), {
      data: { length: 0 },
      warnings: [
        'params.tide is not a parameter of project/{name} and was ignored',
        /structure of .* pypi\.org/,
      ],
    })
    pages.set(url, { status: 404, content: { ...read, html: '{}' } })
    t.match(await send(), { data: { length: 0 }, status: 404, warnings: ['pypi.org responded with 404'] })
    pages.set(url, { status: 403, content: { ...read, challenge: 'cloudflare' } })
    t.match(await send(), {
      data: { length: 0 },
      challenge: 'cloudflare',
      warnings: [/a challenge \(cloudflare\)/],
    })
    const cut = '{"info":{"name":"x","version":"1"},"releases":{"0":[{'
    pages.set(url, { content: { ...read, html: cut, warnings: ['html was truncated to 53 characters'] } })
    t.match(await send(), { data: [{ name: 'x' }], warnings: ['only the beginning of the page was read'] })
    pages.set(url, { content: read })
    t.match(await send(), { data: { length: 0 }, warnings: [/does not have the structure/] })
    pages.set(url, { content: read, warnings: ['the page had not finished loading (load) when it was read'] })
    t.match(await send(), { warnings: [/not finished loading/, /does not have the structure/] })
  })

  await t.test('is refused before anything is fetched', async t => {
    const before = requested.length
    const refused = async (
      domain: string,
      path: string | null,
      params: Record<string, unknown>,
      is: object,
    ) => {
      const error = await scrape({ ...request, domain, path, params }).catch(error => error)
      t.ok(error instanceof Refusal)
      t.match(error, { status: 422, code: 'invalid_input', ...is })
    }
    await refused('npmjs.org', 'package/x', {}, { field: 'domain', message: /npmjs\.com/ })
    await refused('npmjs.com', '../etc', {}, { field: 'path', message: /package\/\{name\}/ })
    await refused('npmjs.com', null, {}, { field: 'path' })
    await refused('news.ycombinator.com', 'news', { p: 31 }, { field: 'params.p', reason: 'out_of_range' })
    t.equal(requested.length, before)
  })

  await t.test('fails like its page', async t => {
    const away = new Refusal({ status: 502, code: 'fetch_failed', message: 'away', reason: 'dns' })
    const failing = scrapeSite({ scrapers, thread, getPage: () => Promise.reject(away), followsRobots: true })
    await t.rejects(failing({ ...request, domain: 'pypi.org', path: 'project/x' }), away)
  })
})

test('A client on the bus', { timeout: patient(300_000) }, async t => {
  const scene = await startScene({ CONTENT_TIMEOUT_MS: '10000' })
  t.teardown(() => scene.close())
  const { bus } = scene
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const [sample] = known.filter(({ scraper }) => scraper.domain === 'npmjs.com')
  if (sample === undefined) throw new Error('there is no such scraper')
  const { url, page, path, data } = sample.saved.full
  let robots = ''
  const fetched: string[] = []
  const serving = { signal: stop.signal }
  void serve(
    bus,
    fetchRpc.fetchNow,
    async request => {
      fetched.push(request.url)
      const isRobots = request.url.endsWith('/robots.txt') && robots !== ''
      const isThere = request.url === url || isRobots
      const header: FetchedNow = {
        ...{ is: 'fetched', url: request.url, status: isThere ? 200 : 404, hops: [] },
        ...{
          contentType: isRobots ? 'text/plain' : 'application/json',
          robotsHeader: null,
          headers: {},
          encodings: [],
        },
        ...{ bulkyKey: null, elapsedMs: 1 },
      }
      return { header, blobs: [Buffer.from(isRobots ? robots : isThere ? page : '{}')] }
    },
    { ...serving, report: error => t.fail(String(error)) },
  )
  const stopFirst = await scene.start()
  const limit = { timeoutMs: 20_000 }
  const send = (requested: ScrapeSite) => call(bus, scrapersRpc.scrapeSite, requested, limit)

  const list = await call(bus, scrapersRpc.listScrapers, { offset: 0, limit: 2 }, limit)
  t.ok(Check(ListScrapersResponse, list))
  t.match(list, { scrapers: [{ domain: 'arxiv.org' }, { domain: 'crates.io' }], total: known.length })

  const answered = await send({ ...request, domain: 'npmjs.com', path, params: {} })
  t.ok(Check(ScrapeSiteResponse, answered))
  t.match(answered, { data, url, status: 200, backend: 'http', tried: [{ backend: 'http', outcome: 'got' }] })
  t.match(await send({ ...request, domain: 'npmjs.com', path: 'package/none' }), {
    data: { length: 0 },
    warnings: ['npmjs.com responded with 404'],
  })
  const refused = await send({ ...request, domain: 'npmjs.co', path }).catch(error => error)
  t.match(refused, { status: 422, code: 'invalid_input', reason: 'bad_value', field: 'domain' })

  // A process caches robots.txt.
  await stopFirst()
  const stopSecond = await scene.start()
  const { host, pathname } = new URL(url)
  robots = `User-agent: *\nDisallow: ${pathname}\n`
  const forbidden: Refusal = await send({ ...request, domain: 'npmjs.com', path }).then(
    () => t.fail('it was read'),
    error => error,
  )
  t.match(forbidden, { status: 502, code: 'fetch_failed', reason: 'robots_disallowed' })
  for (const part of [host, `Disallow: ${pathname}`, 'SCRAPERS_FOLLOW_ROBOTS'])
    t.match(forbidden.message, part)
  t.equal(fetched.at(-1), `https://${host}/robots.txt`, 'the page was not requested')
  await stopSecond()
  await scene.start({ SCRAPERS_FOLLOW_ROBOTS: 'false' })
  t.match(await send({ ...request, domain: 'npmjs.com', path }), { data, status: 200 })
})
