/** The wiring of the gateway. It is stateless, so several can run side by side. */

import type { AddressInfo } from 'node:net'
import { Server } from 'node:tls'
import { openBlocklist } from '@tidemark/blocklist/open'
import { openBus } from '@tidemark/bus/connection'
import { beat, listenForHeartbeats } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { isHeldUp } from '@tidemark/bus/stall'
import { readSettings } from '@tidemark/config/settings'
import { openArchives } from '@tidemark/content/archive'
import { watchObjects } from '@tidemark/content/watch-objects'
import type { Projected } from '@tidemark/contracts/tells'
import { openDatabase } from '@tidemark/db/database'
import { ofProject } from '@tidemark/db/of-project'
import { watchDatabase } from '@tidemark/db/watch'
import { openRedis } from '@tidemark/redis/connect'
import { ratesIn } from '@tidemark/redis/rates'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { openPatternThread } from '@tidemark/url/pattern-thread'
import type { Static } from 'typebox'
import { openAudit } from './access/adapters/audit.ts'
import { rememberKeys } from './access/adapters/key-memory.ts'
import { openKeyUses } from './access/adapters/key-uses.ts'
import { listenForKeysChanged, lookUpKey } from './access/adapters/keys.ts'
import type { App } from './app.ts'
import { proxyPools } from './crawls/adapters/proxy-pools.ts'
import { database } from './database.ts'
import { certificateWarning, measureCertificate } from './http/adapters/measure-certificate.ts'
import { readTls, type Tls, watchTls } from './http/adapters/tls.ts'
import { isLoopback, listeningUrl, withoutSlash } from './http/domain/public-url.ts'
import type { HttpOptions } from './http/open.ts'
import { measureReadiness } from './operations/adapters/measure-readiness.ts'
import { measureStreams } from './operations/adapters/measure-streams.ts'
import { readinessChecks, type Told } from './operations/adapters/readiness.ts'
import type { Choices, Outside } from './outside.ts'
import { listenForProjected, readModelClock } from './read-model/adapters/projected.ts'
import { openElsewhere } from './reading/adapters/elsewhere.ts'
import { proxyJudge, targetJudge } from './reading/adapters/target.ts'
import { readProxyPrices } from './reading/domain/proxy-prices.ts'
import { buildServer } from './server.ts'
import { Settings } from './settings.ts'

const name = 'gateway'

/** Starts listening; `url` is the address. Disposal first answers open requests and then closes all connections. */
export async function startService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<AsyncDisposable & { url: string }> {
  const settings = readSettings(Settings, env)
  const tls = readTls(settings)
  const log = createLog(name)
  const reportOthers = reporter(log, 'a request failed')
  // The client received the request's id, so each of these errors is logged.
  const report = (error: unknown, requestId?: string) =>
    requestId === undefined
      ? reportOthers(error)
      : log.error({ err: error, request_id: requestId }, 'a request failed')

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  started.use(reportOthers.follow(bus))
  const options = { poolSize: settings.GATEWAY_POOL_SIZE, name }
  const { pool } = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db =>
    db.close(),
  )
  started.use(measurePool(name, pool))
  started.use(watchDatabase({ bus, pool, database }))
  const elsewhere = openElsewhere(settings)
  if (elsewhere) {
    started.use(watchObjects({ bus, objects: elsewhere.objects, isSpare: true }))
    started.defer(elsewhere.objects.close)
  }
  started.use(measureStreams(bus))
  const keys = rememberKeys(lookUpKey(pool, bus))
  const clock = readModelClock()
  started.use(listenForProjected(bus, 'runs', clock.note, report))
  const accountsChanged = (projected: Projected) => {
    keys.forget()
    clock.note(projected)
  }
  started.use(listenForProjected(bus, 'accounts', accountsChanged, report))
  started.use(listenForKeysChanged(bus, keys.forget))
  const keyUses = started.use(openKeyUses(bus, settings.KEY_USES_SECONDS * 1000))
  const findBlocked = await openBlocklist({
    source: settings.BLOCKLIST,
    refreshSeconds: settings.BLOCKLIST_REFRESH,
    signal,
    report: error => log.warn({ err: error }, 'BLOCKLIST cannot be read; the last list stays in force'),
  })
  const heartbeats = started.adopt(listenForHeartbeats(bus), heartbeats => heartbeats.close())
  signal.throwIfAborted()

  const redis = started.use(await openRedis(settings.REDIS_URL, redisTold(log)))
  started.use(measureRedis(name, redis))
  const audit = started.use(openAudit(bus, { instance: settings.INSTANCE, report }))
  const ready = readinessChecks({ pool, bus, heard: heartbeats.heard }, tellReadiness(log))
  started.use(measureReadiness(ready))
  const scheme = tls === null ? 'http' : 'https'
  let listensAt = listeningUrl(scheme, settings.HOST, settings.PORT)
  let isLocal = false
  const publicUrl = () => withoutSlash(settings.PUBLIC_URL) || listensAt
  const patterns = started.use(openPatternThread())
  const outside: Outside = {
    bus,
    reads: ofProject(pool),
    clock,
    archives: openArchives(pool),
    elsewhere,
    patterns,
    secrets: sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD),
    keys: { findKey: keys.findKey, noteKeyUse: keyUses.note },
    noteCall: audit.note,
    takeTurn: settings.REQUEST_RATES ? ratesIn(redis) : null,
    sites: { judgeTarget: targetJudge(settings), judgeProxy: proxyJudge(settings), findBlocked },
    ready,
    publicUrl,
    isLocal: () => isLocal,
    choices: choicesOf(settings),
    report,
    now: Date.now,
  }
  const app = started.adopt(await buildServer(outside, { ...httpOptionsOf(settings), tls }), app =>
    app.close(),
  )
  const certificate = tls && started.use(watchTls(settings, { now: tls, ...certificateTold(app, log) }))
  if (certificate) started.use(measureCertificate(certificate.shown))
  const warn = () => redis.warn() ?? (certificate && certificateWarning(certificate.shown()))
  const place = { host: settings.HOST, port: settings.PORT, reusePort: settings.PORT_SHARED }
  await app.listen(place)
  const { address, port } = app.server.address() as AddressInfo
  isLocal = isLoopback(address)
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, warn }))
  listensAt = listeningUrl(scheme, settings.HOST, port)
  return Object.assign(started.move(), { url: `${scheme}://${settings.HOST}:${port}` })
}

const choicesOf = (settings: Static<typeof Settings>): Choices => ({
  signatureHeader: settings.PAYMENT_SIGNATURE_HEADER,
  idempotencyStrict: settings.IDEMPOTENCY_STRICT,
  streamsOfProject: settings.EVENT_STREAMS_PER_PROJECT,
  pools: proxyPools(settings.PROXY_POOLS),
  proxyPrices: readProxyPrices(settings.PROXY_PRICES),
  diffHash: settings.DIFF_HASH,
  cloudCrawlMs: settings.CLOUD_CRAWL_TIMEOUT * 1000,
  probes: {
    delayMs: settings.PROBE_DELAY_MS,
    perHost: settings.PROBES_PER_HOST,
    blockedAs: settings.LINKCHECK_BLOCKED,
  },
})

const httpOptionsOf = (settings: Static<typeof Settings>): Omit<HttpOptions, 'tls'> => ({
  bodyLimit: settings.BODY_LIMIT,
  trustedProxies: settings.TRUSTED_PROXIES,
  profile: settings.API_PROFILE,
  deprecationStyle: settings.DEPRECATION_STYLE,
  corsOrigins: settings.CORS_ORIGINS,
  patience: { requestMs: settings.REQUEST_SECONDS * 1000, stalledMs: settings.STALLED_SECONDS * 1000 },
})

const redisTold = (log: ReturnType<typeof createLog>) => ({
  away: (error: unknown) =>
    log.warn({ err: error }, 'Redis is unavailable: each gateway limits request rates by itself'),
  back: () => log.info('Redis is back'),
  isHeldUp,
})

const certificateTold = ({ server }: App, log: ReturnType<typeof createLog>) => ({
  renewed: (tls: Tls) => {
    if (server instanceof Server) server.setSecureContext(tls)
    log.info('the certificate was renewed')
  },
  faulty: (error: unknown) =>
    log.warn({ err: error }, 'the renewed certificate cannot be used; the previous one stays in use'),
})

const tellReadiness =
  (log: ReturnType<typeof createLog>): Told =>
  (check, { status, cause }, err) => {
    if (status === 'fail') log.warn({ check, cause, err }, 'a check of readiness fails')
    else if (cause !== undefined)
      log.warn({ check, cause }, 'a check of readiness passes with a warning')
    else log.info({ check }, 'a check of readiness passes again')
  }
