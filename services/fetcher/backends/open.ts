/** Opens all backends and search engines that the settings of this process configure. */
import type { FindBlocked } from '@tidemark/blocklist/open'
import type { PoolEvent } from '@tidemark/browser/pool'
import type { BrowserState } from '@tidemark/contracts/rpc/search'
import type { ClientSettings } from '@tidemark/http/client'
import { openFilteringProxy } from '@tidemark/http/filtering/filtering-proxy'
import { readProxy } from '@tidemark/http/proxy'
import { type ProxyPools, poolNames } from '@tidemark/http/proxy-pools'
import type { SignRequest } from '@tidemark/http-signatures/web-bot-auth'
import type { HostClock } from '../adapters/host-clock.ts'
import { createRequestApi, operatorsClient } from '../adapters/json-api.ts'
import { ownBrowser } from '../adapters/own-browser.ts'
import type { TakeMember } from '../adapters/pool-members.ts'
import type { RouteOf } from '../adapters/routes.ts'
import { costOf, createVendor, type Vendor } from '../adapters/vendor-api.ts'
import { nameFor } from '../domain/identity.ts'
import { reportState } from '../handlers/report-state.ts'
import type { SendRequest } from '../handlers/send-request.ts'
import { Hits, type SearchEngine } from '../search/engine.ts'
import { searxng } from '../search/searxng.ts'
import type { Settings } from '../settings.ts'
import { byVendor } from '../settings-cloud.ts'
import type { Backend } from './backend.ts'
import { type BrowserBackend, browserBackend } from './browser.ts'
import { type ChooseBackend, chooseBackend } from './choose.ts'
import { faithfulBackend } from './faithful.ts'
import { proxyBackend } from './proxy.ts'
import { vendorBackend } from './vendor.ts'

type Ports = {
  settings: Settings
  clients: ClientSettings
  clock: HostClock
  pools: ProxyPools
  takeMember: TakeMember
  findBlocked: FindBlocked
  /** Signs requests in the crawler's own name; null: none is signed. */
  sign: SignRequest | null
  /** Returns a plain HTTP fetch that uses the given choice of routes. */
  sendRequestBy: (routeOf: RouteOf) => SendRequest
  /** Fetches by plain HTTP, directly or on the route of a crawl. */
  http: Backend<undefined>
  report: (event: PoolEvent) => void
}

export type Backends = AsyncDisposable & {
  chooseBackend: ChooseBackend
  /** Null if this process renders no pages. */
  render: BrowserBackend | null
  /** Null if no search engine is configured. */
  search: SearchEngine | null
  reportState: ReturnType<typeof reportState>
  reportBrowser: () => Promise<BrowserState>
}

export async function openBackends(ports: Ports): Promise<Backends> {
  const { settings, clients, clock, pools, takeMember, findBlocked, sign, sendRequestBy, http, report } =
    ports
  await using opened = new AsyncDisposableStack()
  const proxy = opened.use(await openFilteringProxy())
  const browser = opened.use(
    ownBrowser({
      setting: settings.BROWSER,
      home: settings.BROWSER_HOME,
      size: settings.BROWSER_POOL,
      proxy,
      report,
    }),
  )
  const requestApi = createRequestApi(opened.use(operatorsClient(clients)))
  const vendor = settings.VENDOR_URL && createVendor(requestApi, settings.VENDOR_URL, settings.VENDOR_KEY)
  const nameOf = (wished: string | undefined) =>
    nameFor({ mode: settings.USER_AGENT_MODE, userAgent: settings.USER_AGENT }, wished)
  const common = { proxy, clients, clock, findBlocked, nameOf }
  const rendering = {
    egress: settings.EGRESS_PROXY === '' ? null : readProxy(settings.EGRESS_PROXY),
    browser: browser.render,
    block: settings.BROWSER_BLOCK,
    sign,
    maxBytes: settings.RENDER_MAX_BYTES,
    maxMs: settings.RENDER_TIMEOUT_MS,
  }
  const render = settings.FETCH_LANES.includes('browser') ? browserBackend({ ...common, ...rendering }) : null
  const choose = chooseBackend({
    http,
    faithful: faithfulBackend(common),
    browser: render,
    proxy: pools.size > 0 ? proxyBackend({ pools, takeMember, clients, sendRequestBy }) : null,
    vendor: vendor ? vendorBackend({ vendor, clients, findBlocked }) : null,
  })
  const search = searchOf(settings.SEARCH_URL, vendor || null, address => searxng(requestApi, address))
  const state = {
    browser: async () => render !== null && (await browser.isInstalled()),
    proxyPools: poolNames(pools),
    vendor: vendor || null,
    search: search !== null,
  }
  const stack = opened.move()
  const close = () => stack.disposeAsync()
  return {
    chooseBackend: choose,
    render,
    search,
    reportState: reportState(state),
    reportBrowser: async () => ({ browser: await state.browser() }),
    [Symbol.asyncDispose]: close,
  }
}

function searchOf(
  url: string,
  vendor: Vendor | null,
  at: (address: string) => SearchEngine,
): SearchEngine | null {
  if (url === '') return null
  if (url !== byVendor) return at(url)
  return vendor && searchByVendor(vendor)
}

const searchLimits = { maxBytes: 4 * 1024 ** 2, timeoutMs: 15_000 }

const searchByVendor =
  (vendor: Vendor): SearchEngine =>
  async (query, limit, signal) => {
    const wish = { search: query, search_limit: limit, fetch_page_content: false }
    const response = await vendor.post('/search', wish, { ...searchLimits, signal })
    const hits = new Hits(limit)
    hits.add(response.content ?? response.results ?? [response], 'description')
    return { hits: hits.found, costUsd: costOf(response) }
  }
