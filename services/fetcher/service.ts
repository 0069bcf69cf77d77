/**
 * Assembles the fetcher: it receives orders and synchronous requests, waits for the host slot of each, and publishes
 * the outcome.
 */
import { openBlocklist } from '@tidemark/blocklist/open'
import { openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { isHeldUp } from '@tidemark/bus/stall'
import { readSettings } from '@tidemark/config/settings'
import { type ClientSettings, createClient } from '@tidemark/http/client'
import { createGuard } from '@tidemark/http/guard'
import { createProxyClients } from '@tidemark/http/proxies/proxy-clients'
import { readProxyPools } from '@tidemark/http/proxy-pools'
import { resolverOf } from '@tidemark/http/resolve'
import { openRedis } from '@tidemark/redis/connect'
import { siteFilesIn } from '@tidemark/redis/site-files'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { directClient } from './adapters/direct-client.ts'
import { ownNetworks } from './adapters/own-networks.ts'
import type { PackBody } from './adapters/pack-body.ts'
import { createPoolMembers } from './adapters/pool-members.ts'
import { requestSigner } from './adapters/request-signer.ts'
import { createRoutes } from './adapters/routes.ts'
import type { BrowserBackend } from './backends/browser.ts'
import { httpBackend } from './backends/http.ts'
import { openBackends } from './backends/open.ts'
import { withWaitingTime } from './concurrency/request-scheduler.ts'
import { maxAtHost } from './domain/host-presence.ts'
import { memoize } from './domain/memoize.ts'
import { ownHeaders } from './domain/own-headers.ts'
import { logIn } from './handlers/log-in.ts'
import { renderPage } from './handlers/render-page.ts'
import { Settings } from './settings.ts'
import { consumeOrders } from './wiring/consuming.ts'
import { keptOf, openFetching, type SharedLimits, schedulerFor } from './wiring/fetching.ts'
import { serveRequests } from './wiring/serve-requests.ts'

const name = 'fetcher'

/** Messages received for each browser: several, so that at least one has a host that is free. */
const messagesOfBrowser = 16

/** Starts the fetcher until it is disposed. Rejects with SettingsError, or if the bus cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const pools = readProxyPools(settings.PROXY_POOLS)
  const sign = requestSigner(settings)
  const log = createLog(name)
  const report = reporter(log, 'orders could not be processed', { needs: ['nats_away', 'jetstream_away'] })

  await using started = new AsyncDisposableStack()
  const redis = started.use(
    await openRedis(settings.REDIS_URL, {
      away: error =>
        log.warn({ err: error }, 'Redis is unavailable: this process limits the rates of hosts by itself'),
      back: () => log.info('Redis is available again'),
      isHeldUp,
    }),
  )
  started.use(measureRedis(name, redis))
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  started.use(report.follow(bus))
  const clients = clientsFor(settings)
  const direct = openDirect(started, settings, clients)
  const proxied = started.use(createProxyClients(clients))
  const open = memoize(sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD).open)
  const takeMember = createPoolMembers(pools)
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const findBlocked = await openBlocklist({
    source: settings.BLOCKLIST,
    refreshSeconds: settings.BLOCKLIST_REFRESH,
    signal: stopped,
    report: error => log.warn({ err: error }, 'BLOCKLIST cannot be read; the last list stays in force'),
  })
  const parts = openFetching(started, { settings, bus, redis, findBlocked, sign, signal: stopped, report })
  const { work, forScans, sharedLimits, throttled, sendRequestBy } = parts
  const sendRequest = sendRequestBy(createRoutes({ direct, proxied, takeMember, open }))
  const http = httpBackend(sendRequest, ownHeaders(open))
  const { clock } = sharedLimits
  const egress = { settings, clients, clock, pools, takeMember, findBlocked, sign, sendRequestBy, http }
  const backends = started.use(await openBackends({ ...egress, report: event => log.info(event, 'browser') }))
  const acquireRenderPermit = withWaitingTime(renderSchedulerFor(settings, sharedLimits), 'render')
  const lanes = new Set(settings.FETCH_LANES)
  const ordered = { ...work, redis, siteFiles: siteFilesIn(redis), open, sendRequest }
  const working = Promise.all([
    lanes.has('http') ? consumeOrders({ ...ordered, lane: 'http', messages: settings.FETCH_MESSAGES }) : null,
    backends.render &&
      consumeOrders({ ...ordered, ...browserLane(settings, sharedLimits, work.packBody, backends.render) }),
    serveRequests({ ...work, acquireSendPermit: forScans, backends, lanes, throttled, acquireRenderPermit }),
  ])
  started.defer(async () => {
    stop.abort()
    await working
  })
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, warn: redis.warn }))
  return started.move()
}

function openDirect(started: AsyncDisposableStack, settings: Settings, clients: ClientSettings) {
  const toStrangers = started.use(
    createClient({ ...clients, connectionsPerOrigin: maxAtHost(settings.HOST_CEILING) }),
  )
  const toOwn = started.use(createClient(clients))
  return directClient(toStrangers, toOwn, ownNetworks(settings.EGRESS_ALLOW))
}

/**
 * Returns the parts of the browser lane. It has as many permits as browser pages, so that no page waits for a
 * browser.
 */
function browserLane(
  settings: Settings,
  sharedLimits: SharedLimits,
  packBody: PackBody,
  render: BrowserBackend,
) {
  const { BROWSER_POOL, MAX_BODY_BYTES, RENDER_TIMEOUT_MS } = settings
  const { open, seal } = sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD)
  const limits = { maxBytes: MAX_BODY_BYTES, timeoutMs: RENDER_TIMEOUT_MS }
  return {
    lane: 'browser' as const,
    messages: messagesOfBrowser * BROWSER_POOL,
    acquireSendPermit: withWaitingTime(
      schedulerFor({ ...settings, FETCH_IN_FLIGHT: BROWSER_POOL }, sharedLimits),
      'browser',
    ),
    page: renderPage({ render, packBody, ...limits }),
    login: logIn({ render, open, seal, ...limits }),
  }
}

/**
 * Returns the scheduler of rendered pages. One project leaves as many permits to other projects as there are browser
 * pages, so that the other projects wait only for a browser.
 */
function renderSchedulerFor(settings: Settings, shared: SharedLimits) {
  const inFlight = 2 * settings.BROWSER_POOL
  const maxPerTenant = inFlight + keptOf(inFlight) - settings.BROWSER_POOL
  return schedulerFor({ ...settings, FETCH_IN_FLIGHT: inFlight }, shared, maxPerTenant)
}

function clientsFor(settings: Settings): ClientSettings {
  const { EGRESS_ALLOW, SAMPLE_ORIGIN, CONNECT_TIMEOUT_MS, FETCH_IN_FLIGHT } = settings
  return {
    guard: createGuard({ allow: EGRESS_ALLOW, allowPeers: SAMPLE_ORIGIN === '' ? [] : [SAMPLE_ORIGIN] }),
    resolver: resolverOf(settings),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    connectionsPerOrigin: FETCH_IN_FLIGHT + keptOf(FETCH_IN_FLIGHT),
  }
}
