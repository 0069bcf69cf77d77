/** A scrape as whoever asks for it sees it: what is fetched, what comes of it, and what is refused. */
import { answer, ask as askBus, Refusal } from '@tidemark/bus/ask'
import { encodeJson, jsonParser } from '@tidemark/bus/codec'
import { decodeCompact } from '@tidemark/bus/compact'
import { encodeFrame } from '@tidemark/bus/frame'
import type { GetPage } from '@tidemark/contracts/ask/cloud'
import { FetchNow } from '@tidemark/contracts/ask/fetch'
import { ListScrapersAnswer, ScrapeSiteAnswer } from '@tidemark/contracts/ask/scrapers'
import { asks } from '@tidemark/contracts/subjects'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { createContentThread } from '../adapters/content-thread.ts'
import { known, scrapers, whole } from '../domain/scrapers/scrapers.scene.ts'
import { startScene } from '../extractor.scene.ts'
import { scrapeSite } from './scrape-site.ts'

const question = { workId: -7, projectId: 3, timeoutMs: 9_000, params: {} }
const answered = { status: 200, backend: 'faithful' as const, tried: [], costUsd: 0.001 }
const read = { challenge: null, warnings: [] as string[] }

test('A scrape', { timeout: 120_000 }, async t => {
  await using thread = createContentThread(60_000)
  const asked: GetPage[] = []
  const pages = new Map<string, { status?: number; content?: object }>()
  const getPage = async (question: GetPage) => {
    asked.push(question)
    const { url } = question
    const { content = { ...read, html: '<p>nothing</p>' }, ...page } = pages.get(url) ?? {}
    const rest = {
      fetchedAt: '2026-01-02T03:04:05.678Z',
      pool: null,
      country: null,
      moved: null,
      picture: null,
    }
    return { page: { url, ...answered, ...rest, ...page }, content: encodeJson(content) }
  }
  const scrape = scrapeSite({ scrapers, getPage, thread })

  await t.test('gets the page by the cheapest means that can, and answers its entries', async t => {
    for (const { scraper, saved } of known) {
      const { path, params = {}, url, page, data } = saved.full
      pages.set(url, { content: { ...read, html: page } })
      const answer = await scrape({ ...question, domain: scraper.domain, path, params })
      t.ok(Check(ScrapeSiteAnswer, answer))
      const entries = data.map(entry => whole(scraper, entry))
      t.strictSame(answer, { ...answered, url, data: entries, challenge: null, warnings: [] })
    }
    t.match(asked[0], {
      workId: -7,
      projectId: 3,
      timeoutMs: 9_000,
      means: { is: 'auto', from: 'http' },
      wanted: { html: true, markdown: null },
      picture: false,
    })
  })

  await t.test('answers no entries, and says why, where the page is not what it should be', async t => {
    const url = 'https://pypi.org/pypi/x/json'
    const ask = (params = {}) => scrape({ ...question, domain: 'pypi.org', path: 'project/x', params })
    t.match(await ask({ tide: 1 }), {
      data: [],
      warnings: [
        'params.tide means nothing for project/{name} and was ignored',
        /another shape .* pypi\.org/,
      ],
    })
    pages.set(url, { status: 404, content: { ...read, html: '{}' } })
    t.match(await ask(), { data: [], status: 404, warnings: ['pypi.org answered 404'] })
    pages.set(url, { status: 403, content: { ...read, challenge: 'cloudflare' } })
    t.match(await ask(), { data: [], challenge: 'cloudflare', warnings: [/a challenge \(cloudflare\)/] })
    const cut = '{"info":{"name":"x","version":"1"},"releases":{"0":[{'
    pages.set(url, { content: { ...read, html: cut, warnings: ['html ends after 53 characters'] } })
    t.match(await ask(), { data: [{ name: 'x' }], warnings: ['only the beginning of the page was read'] })
    pages.set(url, { content: read })
    t.match(await ask(), { data: [], warnings: [/another shape/] })
  })

  await t.test('is refused before anything is fetched', async t => {
    const before = asked.length
    const refused = async (
      domain: string,
      path: string | null,
      params: Record<string, unknown>,
      is: object,
    ) => {
      const error = await scrape({ ...question, domain, path, params }).catch(error => error)
      t.ok(error instanceof Refusal)
      t.match(error, { status: 422, code: 'invalid_input', ...is })
    }
    await refused('npmjs.org', 'package/x', {}, { field: 'domain', message: /npmjs\.com/ })
    await refused('npmjs.com', '../etc', {}, { field: 'path', message: /package\/\{name\}/ })
    await refused('npmjs.com', null, {}, { field: 'path' })
    await refused('news.ycombinator.com', 'news', { p: 31 }, { field: 'params.p', reason: 'out_of_range' })
    t.equal(asked.length, before)
  })

  await t.test('is refused as its page is', async t => {
    const away = new Refusal({ status: 502, code: 'fetch_failed', message: 'away', reason: 'dns' })
    const failing = scrapeSite({ scrapers, thread, getPage: () => Promise.reject(away) })
    await t.rejects(failing({ ...question, domain: 'pypi.org', path: 'project/x' }), away)
  })
})

test('Whoever asks over the bus', { timeout: 120_000 }, async t => {
  const scene = await startScene({ CONTENT_TIMEOUT_MS: '10000' })
  t.teardown(() => scene.close())
  const { bus } = scene
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const [sample] = known.filter(({ scraper }) => scraper.domain === 'npmjs.com')
  if (sample === undefined) throw new Error('there is no such scraper')
  const { url, page, path, data } = sample.saved.full
  const serving = { parse: jsonParser(FetchNow), encode: (bytes: Uint8Array) => bytes, signal: stop.signal }
  void answer<FetchNow, Uint8Array>(
    bus,
    asks.fetchNow,
    'stand-in',
    async question => {
      const header = {
        ...{ is: 'fetched', url: question.url, status: question.url === url ? 200 : 404, hops: [] },
        ...{ contentType: 'application/json', robotsHeader: null, headers: {}, encodings: [] },
        ...{ bulkyKey: null, elapsedMs: 1 },
      }
      return encodeFrame(header, [Buffer.from(question.url === url ? page : '{}')])
    },
    { ...serving, report: error => t.fail(String(error)) },
  )
  await scene.start()
  const limit = { timeoutMs: 20_000, decode: decodeCompact<unknown> }
  const ask = (question: object) => askBus<object, unknown>(bus, asks.scrapeSite, question, limit)

  const list = await askBus<object, unknown>(bus, asks.listScrapers, { offset: 0, limit: 2 }, limit)
  t.ok(Check(ListScrapersAnswer, list))
  t.match(list, { scrapers: [{ domain: 'arxiv.org' }, { domain: 'crates.io' }], total: known.length })

  const answered = await ask({ ...question, domain: 'npmjs.com', path, params: {} })
  t.ok(Check(ScrapeSiteAnswer, answered))
  t.match(answered, { data, url, status: 200, backend: 'http', tried: [{ backend: 'http', outcome: 'got' }] })
  t.match(await ask({ ...question, domain: 'npmjs.com', path: 'package/none' }), {
    data: [],
    warnings: ['npmjs.com answered 404'],
  })
  const refused = await ask({ ...question, domain: 'npmjs.co', path }).catch(error => error)
  t.match(refused, { status: 422, code: 'invalid_input', reason: 'bad_value', field: 'domain' })
})
