/** The fetcher, put together: takes orders, waits for each one's turn at its host, and says what came of it. */
import { type FindBlocked, openBlocklist } from '@tidemark/blocklist/open'
import { answer } from '@tidemark/bus/ask'
import { openBulky } from '@tidemark/bus/bulky'
import { jsonParser } from '@tidemark/bus/codec'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { beat } from '@tidemark/bus/heartbeat'
import { readSettings } from '@tidemark/config/settings'
import { FetchNow } from '@tidemark/contracts/ask/fetch'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { asks, consumers, streams } from '@tidemark/contracts/subjects'
import { FetchOrders } from '@tidemark/contracts/work/fetch'
import { type ClientSettings, createClient } from '@tidemark/http/client'
import { acceptEncoding } from '@tidemark/http/decode'
import { createGuard } from '@tidemark/http/guard'
import { createProxyClients } from '@tidemark/http/proxy-clients'
import { readProxyPools } from '@tidemark/http/proxy-pools'
import { resolverOf } from '@tidemark/http/resolve'
import { openRedis } from '@tidemark/redis/connect'
import { siteFilesIn } from '@tidemark/redis/site-files'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import type { Redis } from 'ioredis'
import { directClient } from './adapters/direct-client.ts'
import { type EndedRuns, listenForEndedRuns } from './adapters/ended-runs.ts'
import { createFit } from './adapters/fit.ts'
import { createHostClock, type HostClock } from './adapters/host-clock.ts'
import { lendBodies } from './adapters/lent-bodies.ts'
import { createLocalClock } from './adapters/local-clock.ts'
import { createOutbox } from './adapters/outbox.ts'
import { ownNetworks } from './adapters/own-networks.ts'
import { createPublishedOrders } from './adapters/published.ts'
import { createSharedClock } from './adapters/shared-clock.ts'
import { createWays, type WayOf } from './adapters/ways.ts'
import { mostAtHost } from './domain/host-presence.ts'
import { createIdentify } from './domain/identity.ts'
import { ownHeaders } from './domain/own-headers.ts'
import { type Remembered, remembered } from './domain/remembered.ts'
import { answerFetch, encodeAnswer } from './handlers/answer-fetch.ts'
import { createAsk } from './handlers/ask.ts'
import { fetchOrders } from './handlers/fetch-orders.ts'
import { fetchPage } from './handlers/fetch-page.ts'
import { fetchRobots } from './handlers/fetch-robots.ts'
import { fetchSitemap } from './handlers/fetch-sitemap.ts'
import { giveUpOrders } from './handlers/give-up.ts'
import { Settings } from './settings.ts'
import { createByteBudget } from './turns/byte-budget.ts'
import { createFairPermits } from './turns/fair-permits.ts'
import { createHostWindows } from './turns/host-windows.ts'
import { createPlaces } from './turns/places.ts'
import { createRunPermits } from './turns/run-permits.ts'
import { createTurns, type TakeTurn } from './turns/turns.ts'

const name = 'fetcher'

/** What waits for its turn is given back at once when told to stop; what is under way may end within this. */
const graceMs = 5_000

/** Bytes of bodies that were read and wait to be published; beyond that no more are read. */
const mostUnpublished = 128 * 1024 ** 2

/** Rejects with SettingsError, or when the bus cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const pools = readProxyPools(settings.PROXY_POOLS)
  const log = createLog(name)
  const report = (error: unknown) => log.error({ err: error }, 'orders could not be handled')

  await using started = new AsyncDisposableStack()
  const redis = started.use(
    await openRedis(settings.REDIS_URL, {
      away: error => log.warn({ err: error }, 'Redis is away: hosts are paced by this process alone'),
      back: () => log.info('Redis is back'),
    }),
  )
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  const clients = clientsFor(settings)
  const toStrangers = started.use(
    createClient({ ...clients, connectionsPerOrigin: mostAtHost(settings.HOST_CEILING) }),
  )
  const toOwn = started.use(createClient(clients))
  const direct = directClient(toStrangers, toOwn, ownNetworks(settings.EGRESS_ALLOW))
  const proxied = started.use(createProxyClients(clients))
  const open = remembered(sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD).open)
  const wayOf = createWays({ direct, proxied, pools, open })
  const endedRuns = started.use(listenForEndedRuns(bus))
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const findBlocked = await openBlocklist({
    source: settings.BLOCKLIST,
    refreshSeconds: settings.BLOCKLIST_REFRESH,
    signal: stopped,
    report: error => log.warn({ err: error }, 'BLOCKLIST cannot be read; the last list stays in force'),
  })
  const parts = { settings, bus, redis, wayOf, open, endedRuns, findBlocked, report }
  const working = startWorking({ ...parts, signal: stopped })
  started.defer(() => {
    stop.abort()
    return working
  })
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE }))
  return started.move()
}

type Parts = {
  settings: Settings
  bus: Bus
  redis: Redis
  wayOf: WayOf
  open: Remembered
  endedRuns: EndedRuns
  findBlocked: FindBlocked
  signal: AbortSignal
  report: (error: unknown) => void
}

async function startWorking({ settings, bus, redis, signal, report, ...parts }: Parts): Promise<void> {
  const hardStop = after(signal, graceMs)
  const insistence = { signal: hardStop, report }
  const published = createPublishedOrders(redis)
  const outbox = createOutbox({ bus, published, ...insistence })
  const clock = createHostClock(createLocalClock(), createSharedClock(redis))
  const ask = createAsk({
    wayOf: parts.wayOf,
    clock,
    findBlocked: parts.findBlocked,
    identify: createIdentify({
      mode: settings.USER_AGENT_MODE,
      userAgent: settings.USER_AGENT,
      acceptEncoding,
    }),
    maxBytes: settings.MAX_BODY_BYTES,
    timeoutMs: settings.FETCH_TIMEOUT_MS,
  })
  const bulky = openBulky(bus)
  const fit = createFit({ bulky, ...insistence })
  const lentBodies = lendBodies({ bulky, ...insistence })
  const takeTurn = turnsFor(settings, clock)
  const reading = createByteBudget(settings.BODIES_IN_MEMORY)
  const maxBytes = Math.max(settings.MAX_BODY_BYTES, settings.MAX_SITEMAP_BYTES)
  const now = answerFetch({
    ask,
    takeTurn,
    fit,
    lentBodies,
    dropped: parts.endedRuns,
    reading,
    maxBytes,
    hardStop,
  })
  const answering = { parse: jsonParser(FetchNow), encode: encodeAnswer, signal, report }
  const consuming = consume(bus, {
    stream: streams.fetch,
    consumer: consumers.fetcher('http'),
    parse: jsonParser(FetchOrders),
    handle: fetchOrders({
      takeTurn,
      fetch: {
        page: fetchPage({ ask, fit }),
        sitemap: fetchSitemap({ ask, fit, maxBytes: settings.MAX_SITEMAP_BYTES }),
        robots: fetchRobots({ ask, remember: rememberedBy(redis) }),
      },
      reading,
      unpublished: createByteBudget(mostUnpublished),
      outbox,
      published,
      endedRuns: parts.endedRuns,
      ownHeaders: ownHeaders(parts.open),
      hardStop,
    }),
    concurrency: settings.FETCH_MESSAGES,
    signal,
    report,
    onGiveUp: giveUpOrders(outbox),
  })
  await Promise.all([consuming, answer(bus, asks.fetchNow, name, now, answering)])
}

function turnsFor(settings: Settings, clock: HostClock): TakeTurn {
  const { RUN_CONCURRENCY: most, HOST_CEILING, FETCH_IN_FLIGHT } = settings
  const isOwn = ownNetworks(settings.EGRESS_ALLOW)
  return createTurns({
    clock,
    runs: createRunPermits(),
    inFlight: createFairPermits({ permits: FETCH_IN_FLIGHT, kept: keptOf(FETCH_IN_FLIGHT) }),
    places: createPlaces({
      windows: createHostWindows(most),
      ceilingOf: host => (isOwn(host) ? Infinity : HOST_CEILING),
      most,
    }),
    concurrency: most,
  })
}

/** For what somebody waits for. */
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

/** Its absence is told once, where it is connected. */
const rememberedBy = (redis: Redis) => (url: string, file: SiteFile) =>
  siteFilesIn(redis)
    .keep(url, file)
    .catch(() => {})

/** A signal that follows another one with a delay. */
function after(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  signal.addEventListener('abort', () => setTimeout(() => later.abort(signal.reason), ms).unref(), {
    once: true,
  })
  return later.signal
}
