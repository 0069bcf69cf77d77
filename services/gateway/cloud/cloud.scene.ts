/** The cloud endpoints at a gateway, with a fake extractor and a fake fetcher that answer as a test sets them. */
import { openBulky } from '@tidemark/bus/bulky'
import { serve } from '@tidemark/bus/rpc'
import type { WorkDropped } from '@tidemark/contracts/notifications'
import type { Try } from '@tidemark/contracts/rpc/backends'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import * as cloudRpc from '@tidemark/contracts/rpc/cloud'
import type { RequestOf, ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import type {
  ListScrapers,
  ListScrapersResponse,
  ScrapeSite,
  ScrapeSiteResponse,
} from '@tidemark/contracts/rpc/scrapers'
import * as scrapersRpc from '@tidemark/contracts/rpc/scrapers'
import type { CloudState, SearchWeb, SearchWebResponse } from '@tidemark/contracts/rpc/search'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import type { Transform, TransformResponse } from '@tidemark/contracts/rpc/transform'
import * as transformRpc from '@tidemark/contracts/rpc/transform'
import type { ReadUsage } from '@tidemark/contracts/rpc/usage'
import { bulky, notifications } from '@tidemark/contracts/subjects'
import type { UnitKind } from '@tidemark/contracts/usage'
import { patient } from '@tidemark/testing/slowness'
import type { Test } from 'tap'
import { seed } from '../gateway.scene.ts'
import { contentFor, scene } from '../scan/scan.scene.ts'

export const tried: Try = { backend: 'http', outcome: 'got', reason: null, elapsedMs: 12.4, costUsd: 0 }

/** Returns a page as the extractor fetches it, with the wanted parts. */
export const gotPage = (request: GetPage, more: Partial<GotPage> = {}): GotPage => ({
  ...ofTry(more),
  url: request.url,
  status: 200,
  fetchedAt: '2026-01-02T03:04:05.678Z',
  country: null,
  content: {
    ...contentFor(request),
    ...(request.wanted.text && { text: 'plain' }),
    ...(request.wanted.commonmark && { commonmark: '_common_' }),
  },
  moved: 1_000,
  picture: request.picture ? Buffer.from('a picture').toString('base64') : null,
  ...more,
})

/** The fields of a page that one backend fetched at its first try. */
const ofTry = ({ backend = 'http', pool = null, costUsd = 0 }: Partial<GotPage>) => ({
  ...{ backend, pool, costUsd },
  tried: [{ ...tried, backend, ...(pool !== null && { pool }), costUsd }],
})

export const challenged = (request: GetPage): GotPage['content'] =>
  contentFor(request, { challenge: 'Cloudflare' })

/** Returns an entry of units. */
export const units = (kind: UnitKind, what: string, n = 1) => ({ kind, n, what })

export const cloudState: CloudState = {
  browser: true,
  faithful: true,
  proxyPools: ['isp (DE, US)', 'residential'],
  vendor: false,
  search: true,
  balanceUsd: null,
}

/** Returns the records and the answers of the fake services. */
const freshStage = () => ({
  pages: [] as GetPage[],
  searches: [] as SearchWeb[],
  transforms: [] as Transform[],
  sites: [] as ScrapeSite[],
  lists: [] as ListScrapers[],
  usages: [] as ReadUsage[],
  dropped: [] as number[],
  state: cloudState,
  /** Whether the processes of the browser lane respond that there is a browser. */
  browserLane: false,
  page: async (request: GetPage): Promise<GotPage> => gotPage(request),
  search: async (): Promise<SearchWebResponse> => ({ hits: [], costUsd: 0 }),
  transform: async (_: Transform): Promise<TransformResponse> => ({
    content: '# T',
    engine: 'markdown',
    warnings: [],
  }),
  site: async (_: ScrapeSite): Promise<ScrapeSiteResponse> => ({
    data: [{ name: 'tides' }],
    url: `${seed}tides`,
    status: 200,
    challenge: null,
    backend: 'http',
    tried: [tried],
    costUsd: 0,
    warnings: [],
  }),
  scrapers: async (_: ListScrapers): Promise<ListScrapersResponse> => ({ scrapers: [], total: 0 }),
})

export async function cloudScene(t: Test, env: Record<string, string> = {}) {
  const { around, stage: scans, ...client } = await scene(t, env)
  const { bus } = around
  // The stream of an object store.
  const subjects = ['C', 'M'].map(kind => `$O.${bulky}.${kind}.>`)
  await bus.jsm.streams.add({ name: `OBJ_${bulky}`, subjects, allow_rollup_hdrs: true })
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const stage = Object.assign(scans, freshStage())
  const serving = { signal: stop.signal, report: () => {} }
  const on = <Procedure extends Rpc>(
    rpc: Procedure,
    handler: (request: RequestOf<Procedure>) => Promise<ResponseOf<Procedure>>,
  ) => void serve(bus, rpc, handler, serving)
  on(cloudRpc.getPage, request => {
    stage.pages.push(request)
    return stage.page(request)
  })
  on(searchRpc.searchWeb, request => {
    stage.searches.push(request)
    return stage.search()
  })
  on(transformRpc.transform, request => {
    stage.transforms.push(request)
    return stage.transform(request)
  })
  on(scrapersRpc.scrapeSite, request => {
    stage.sites.push(request)
    return stage.site(request)
  })
  on(scrapersRpc.listScrapers, request => {
    stage.lists.push(request)
    return stage.scrapers(request)
  })
  on(searchRpc.cloudState, async () => stage.state)
  on(searchRpc.browserState, async () => ({ browser: stage.browserLane }))
  bus.nc.subscribe(notifications.workDropped, {
    callback: (_error, message) => void stage.dropped.push(message.json<WorkDropped>().workId),
  })
  await bus.nc.flush()
  return { around, stage, bulky: openBulky(bus, { getMs: patient(5_000) }), ...client }
}
