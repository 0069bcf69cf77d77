/**
 * Assembles the fetcher: it receives orders and synchronous requests, waits for the host slot of each, and publishes
 * the outcome.
 */
import { type FindBlocked, openBlocklist } from '@tidemark/blocklist/open'
import { openBulky } from '@tidemark/bus/bulky'
import { openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { isHeldUp } from '@tidemark/bus/stall'
import { readSettings } from '@tidemark/config/settings'
import { type ClientSettings, createClient } from '@tidemark/http/client'
import { acceptEncoding } from '@tidemark/http/decode'
import { createGuard } from '@tidemark/http/guard'
import { createProxyClients } from '@tidemark/http/proxies/proxy-clients'
import { readProxyPools } from '@tidemark/http/proxy-pools'
import { resolverOf } from '@tidemark/http/resolve'
import type { SignRequest } from '@tidemark/http-signatures/web-bot-auth'
import { openRedis } from '@tidemark/redis/connect'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { directClient } from './adapters/direct-client.ts'
import { listenForEndedRuns } from './adapters/ended-runs.ts'
import { createFit, type Fit } from './adapters/fit.ts'
import { createHostClock, type HostClock } from './adapters/host-clock.ts'
import { createLocalClock } from './adapters/local-clock.ts'
import { ownNetworks } from './adapters/own-networks.ts'
import { createPoolMembers } from './adapters/pool-members.ts'
import { requestSigner } from './adapters/request-signer.ts'
import { createRoutes, type RouteOf } from './adapters/routes.ts'
import { createRunShares } from './adapters/run-shares.ts'
import { createSharedClock } from './adapters/shared-clock.ts'
import { openThrottledHosts } from './adapters/throttled-hosts.ts'
import type { BrowserBackend } from './backends/browser.ts'
import { httpBackend } from './backends/http.ts'
import { openMeans } from './backends/open.ts'
import { maxAtHost } from './domain/host-presence.ts'
import { createIdentify } from './domain/identity.ts'
import { memoize } from './domain/memoize.ts'
import { ownHeaders } from './domain/own-headers.ts'
import { logIn } from './handlers/log-in.ts'
import { measureRequests } from './handlers/measured-requests.ts'
import { renderPage } from './handlers/render-page.ts'
import { createSendRequest, type SendRequest } from './handlers/send-request.ts'
import { Settings } from './settings.ts'
import { ByteBudget } from './turns/byte-budget.ts'
import { FairPermits } from './turns/fair-permits.ts'
import { HostSlots } from './turns/host-slots.ts'
import { createHostWindows } from './turns/host-windows.ts'
import { createRunPermits, type RunPermits } from './turns/run-permits.ts'
import { createTurns, measuredTurns, type TakeTurn } from './turns/turns.ts'
import { answerAsks } from './wiring/answering.ts'
import { consumeOrders, type Work } from './wiring/consuming.ts'

const name = 'fetcher'

/**
 * Milliseconds that requests in flight may take to end when the fetcher stops. Orders that wait for a slot are
 * returned to the queue at once.
 */
const graceMs = 5_000

/** Messages received for each browser: several, so that at least one has a host that is free. */
const messagesOfBrowser = 16

/** Starts the fetcher until it is disposed. Rejects with SettingsError, or if the bus cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const pools = readProxyPools(settings.PROXY_POOLS)
  const sign = requestSigner(settings)
  const log = createLog(name)
  const report = reporter(log, 'orders could not be handled', { needs: ['nats_away', 'jetstream_away'] })

  await using started = new AsyncDisposableStack()
  const redis = started.use(
    await openRedis(settings.REDIS_URL, {
      away: error => log.warn({ err: error }, 'Redis is away: this process paces hosts alone'),
      back: () => log.info('Redis is back'),
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
  const endedRuns = started.use(listenForEndedRuns(bus))
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const findBlocked = await openBlocklist({
    source: settings.BLOCKLIST,
    refreshSeconds: settings.BLOCKLIST_REFRESH,
    signal: stopped,
    report: error => log.warn({ err: error }, 'BLOCKLIST cannot be read; the last list stays in force'),
  })
  const throttled = openThrottledHosts(redis)
  const clock = createHostClock(createLocalClock(), createSharedClock(redis), throttled.record)
  const runs = createRunPermits(started.use(createRunShares(redis, settings.INSTANCE)))
  const sendRequestBy = sendRequestBySettings(settings, { clock, findBlocked, sign })
  const sendRequest = sendRequestBy(createRoutes({ direct, proxied, takeMember, open }))
  const http = httpBackend(sendRequest, ownHeaders(open))
  const egress = { settings, clients, clock, pools, takeMember, findBlocked, sign, sendRequestBy, http }
  const means = started.use(await openMeans({ ...egress, report: event => log.info(event, 'browser') }))
  const hardStop = after(stopped, graceMs)
  const work = { bus, settings, clock, endedRuns, signal: stopped, hardStop, report }
  const turns = { clock, runs }
  const shared = { ...work, ...sharedParts(work), takeTurn: measuredTurns(turnsFor(settings, turns), 'http') }
  const renderTurns = renderTurnsFor(settings, turns)
  const takeRenderTurn = measuredTurns(renderTurns, 'render')
  const lanes = new Set(settings.FETCH_LANES)
  const ordered = { ...shared, redis, open, sendRequest }
  const working = Promise.all([
    lanes.has('http') ? consumeOrders({ ...ordered, lane: 'http', messages: settings.FETCH_MESSAGES }) : null,
    means.render && consumeOrders({ ...ordered, ...browserLane(settings, turns, shared.fit, means.render) }),
    answerAsks({ ...shared, means, lanes, throttled, takeRenderTurn }),
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
function browserLane(settings: Settings, turns: SharedTurns, fit: Fit, render: BrowserBackend) {
  const { BROWSER_POOL, MAX_BODY_BYTES, RENDER_TIMEOUT_MS } = settings
  const { open, seal } = sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD)
  const limits = { maxBytes: MAX_BODY_BYTES, timeoutMs: RENDER_TIMEOUT_MS }
  return {
    lane: 'browser' as const,
    messages: messagesOfBrowser * BROWSER_POOL,
    takeTurn: measuredTurns(turnsFor({ ...settings, FETCH_IN_FLIGHT: BROWSER_POOL }, turns), 'browser'),
    page: renderPage({ render, fit, ...limits }),
    login: logIn({ render, open, seal, ...limits }),
  }
}

/** Creates the parts that orders and synchronous requests share. */
function sharedParts({
  bus,
  settings,
  hardStop,
  report,
}: Pick<Work, 'bus' | 'settings' | 'hardStop' | 'report'>) {
  const bulky = openBulky(bus)
  const insistence = { signal: hardStop, report }
  return {
    bulky,
    insistence,
    fit: createFit({ bulky, ...insistence }),
    reading: new ByteBudget(settings.BODIES_IN_MEMORY),
  }
}

/** Returns a function that returns `SendRequest` with the limits and the identity of the settings, for a choice of routes. */
const sendRequestBySettings =
  (settings: Settings, ports: { clock: HostClock; findBlocked: FindBlocked; sign: SignRequest | null }) =>
  (routeOf: RouteOf): SendRequest =>
    measureRequests(
      createSendRequest({
        ...ports,
        routeOf,
        identify: createIdentify({
          mode: settings.USER_AGENT_MODE,
          userAgent: settings.USER_AGENT,
          acceptEncoding,
        }),
        maxBytes: settings.MAX_BODY_BYTES,
        timeoutMs: settings.FETCH_TIMEOUT_MS,
      }),
    )

/** The limits that all lanes of this process share. */
type SharedTurns = { clock: HostClock; runs: RunPermits }

/** One project leaves as many permits to others as there are browser pages, so that these wait only for a browser. */
function renderTurnsFor(settings: Settings, shared: SharedTurns): TakeTurn {
  const inFlight = 2 * settings.BROWSER_POOL
  const maxPerTenant = inFlight + keptOf(inFlight) - settings.BROWSER_POOL
  return turnsFor({ ...settings, FETCH_IN_FLIGHT: inFlight }, shared, maxPerTenant)
}

function turnsFor(settings: Settings, shared: SharedTurns, maxPerTenant = Infinity): TakeTurn {
  const { RUN_CONCURRENCY: most, HOST_CEILING, FETCH_IN_FLIGHT } = settings
  const isOwn = ownNetworks(settings.EGRESS_ALLOW)
  return createTurns({
    ...shared,
    inFlight: new FairPermits({ permits: FETCH_IN_FLIGHT, kept: keptOf(FETCH_IN_FLIGHT), maxPerTenant }),
    hostSlots: new HostSlots({
      windows: createHostWindows(most),
      ceilingOf: host => (isOwn(host) ? Infinity : HOST_CEILING),
      most,
    }),
    concurrency: most,
  })
}

/** Returns the number of permits that are reserved for synchronous requests. */
const keptOf = (inFlight: number): number => Math.ceil(inFlight / 4)

function clientsFor(settings: Settings): ClientSettings {
  const { EGRESS_ALLOW, SAMPLE_ORIGIN, CONNECT_TIMEOUT_MS, FETCH_IN_FLIGHT } = settings
  return {
    guard: createGuard({ allow: EGRESS_ALLOW, allowPeers: SAMPLE_ORIGIN === '' ? [] : [SAMPLE_ORIGIN] }),
    resolver: resolverOf(settings),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    connectionsPerOrigin: FETCH_IN_FLIGHT + keptOf(FETCH_IN_FLIGHT),
  }
}

/** Returns a signal that aborts `ms` milliseconds after another one. */
function after(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  signal.addEventListener('abort', () => setTimeout(() => later.abort(signal.reason), ms).unref(), {
    once: true,
  })
  return later.signal
}
