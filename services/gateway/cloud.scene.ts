/** The cloud endpoints at a gateway: an extractor and a fetcher that answer as a test wants it. */
import { answer } from '@tidemark/bus/ask'
import { openBulky } from '@tidemark/bus/bulky'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import { GetPage, type GotPage } from '@tidemark/contracts/ask/cloud'
import type { Try } from '@tidemark/contracts/ask/means'
import {
  ListScrapers,
  type ListScrapersAnswer,
  ScrapeSite,
  type ScrapeSiteAnswer,
} from '@tidemark/contracts/ask/scrapers'
import { type CloudState, SearchWeb, type SearchWebAnswer } from '@tidemark/contracts/ask/search'
import { Transform, type TransformAnswer } from '@tidemark/contracts/ask/transform'
import type { ReadUsage } from '@tidemark/contracts/ask/usage'
import { asks, bulky, tells } from '@tidemark/contracts/subjects'
import type { WorkDropped } from '@tidemark/contracts/tells'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { Test } from 'tap'
import { seed } from './gateway.scene.ts'
import { contentFor, scene } from './scan.scene.ts'

export const tried: Try = { backend: 'http', outcome: 'got', reason: null, elapsedMs: 12.4, costUsd: 0 }

/** A page as an extractor has got it, with what was wanted of it. */
export const gotPage = (question: GetPage, more: Partial<GotPage> = {}): GotPage => ({
  url: question.url,
  status: 200,
  fetchedAt: '2026-01-02T03:04:05.678Z',
  backend: 'http',
  pool: null,
  country: null,
  tried: [tried],
  content: {
    ...contentFor(question),
    ...(question.wanted.text && { text: 'plain' }),
    ...(question.wanted.commonmark && { commonmark: '_common_' }),
  },
  moved: 1_000,
  costUsd: 0,
  picture: question.picture ? Buffer.from('a picture').toString('base64') : null,
  ...more,
})

export const challenged = (question: GetPage): GotPage['content'] =>
  contentFor(question, { challenge: 'Cloudflare' })

/** One that could have been had, or not. */
export const units = (kind: UnitKind, what: string, n = 1) => ({ kind, n, what })

export const cloudState: CloudState = {
  browser: true,
  faithful: true,
  proxyPools: ['isp (DE, US)', 'residential'],
  vendor: false,
  search: true,
  balanceUsd: null,
}

export async function cloudScene(t: Test, env: Record<string, string> = {}) {
  const { around, stage: scans, ...client } = await scene(t, env)
  const { bus } = around
  // As an object store is made of a stream.
  const subjects = ['C', 'M'].map(kind => `$O.${bulky}.${kind}.>`)
  await bus.jsm.streams.add({ name: `OBJ_${bulky}`, subjects, allow_rollup_hdrs: true })
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const stage = Object.assign(scans, {
    pages: [] as GetPage[],
    searches: [] as SearchWeb[],
    transforms: [] as Transform[],
    sites: [] as ScrapeSite[],
    lists: [] as ListScrapers[],
    usages: [] as ReadUsage[],
    dropped: [] as number[],
    state: cloudState,
    page: async (question: GetPage): Promise<GotPage> => gotPage(question),
    search: async (): Promise<SearchWebAnswer> => ({ hits: [], costUsd: 0 }),
    transform: async (_: Transform): Promise<TransformAnswer> => ({
      content: '# T',
      engine: 'markdown',
      warnings: [],
    }),
    site: async (_: ScrapeSite): Promise<ScrapeSiteAnswer> => ({
      data: [{ name: 'tides' }],
      url: `${seed}tides`,
      status: 200,
      challenge: null,
      backend: 'http',
      tried: [tried],
      costUsd: 0,
      warnings: [],
    }),
    scrapers: async (_: ListScrapers): Promise<ListScrapersAnswer> => ({ scrapers: [], total: 0 }),
  })
  const serving = { signal: stop.signal, report: () => {} }
  const on = <Q, A>(subject: string, parse: (data: Uint8Array) => Q, handler: (question: Q) => Promise<A>) =>
    void answer<Q, A>(bus, subject, 'stand-in', handler, { ...serving, parse, encode: encodeCompact })
  on(asks.getPage, jsonParser(GetPage), question => {
    stage.pages.push(question)
    return stage.page(question)
  })
  on(asks.searchWeb, jsonParser(SearchWeb), question => {
    stage.searches.push(question)
    return stage.search()
  })
  on(asks.transform, jsonParser(Transform), question => {
    stage.transforms.push(question)
    return stage.transform(question)
  })
  on(asks.scrapeSite, jsonParser(ScrapeSite), question => {
    stage.sites.push(question)
    return stage.site(question)
  })
  on(asks.listScrapers, jsonParser(ListScrapers), question => {
    stage.lists.push(question)
    return stage.scrapers(question)
  })
  on(
    asks.cloudState,
    () => null,
    async () => stage.state,
  )
  bus.nc.subscribe(tells.workDropped, {
    callback: (_error, message) => void stage.dropped.push(message.json<WorkDropped>().workId),
  })
  await bus.nc.flush()
  return { around, stage, bulky: openBulky(bus, { getMs: 500 }), ...client }
}
