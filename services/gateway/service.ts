/** The wiring of the gateway. It is stateless, so several can run side by side. */

import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from 'node:tls'
import { openBlocklist } from '@tidemark/blocklist/open'
import { beat, listenForHeartbeats } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { isHeldUp } from '@tidemark/bus/stall'
import { readSettings, SettingsError } from '@tidemark/config/settings'
import { openArchives } from '@tidemark/content/archive'
import { openBucket } from '@tidemark/content/s3'
import { bodyFaults, bucketConfig } from '@tidemark/content/settings'
import type { ObjectBodies } from '@tidemark/content/store'
import { watchObjects } from '@tidemark/content/watch-objects'
import { streams } from '@tidemark/contracts/subjects'
import { ofProject } from '@tidemark/db/of-project'
import { openServers } from '@tidemark/db/open-servers'
import { poolNames, readProxyPools } from '@tidemark/http/proxy-pools'
import { openRedis } from '@tidemark/redis/connect'
import { ratesIn } from '@tidemark/redis/rates'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { openPatternThread } from '@tidemark/url/pattern-thread'
import type { Static } from 'typebox'
import { openAudit } from './access/adapters/audit.ts'
import { operatorKey } from './access/operator-key.ts'
import type { App } from './app.ts'
import { database } from './database.ts'
import { openEvidenceKeys } from './evidence/adapters/evidence-keys.ts'
import { followReadModel } from './follow-read-model.ts'
import { certificateWarning, measureCertificate } from './http/adapters/measure-certificate.ts'
import { readTls, type Tls, watchTls } from './http/adapters/tls.ts'
import type { HttpOptions } from './http/open.ts'
import { proxyJudge, targetJudge } from './live-pages/adapters/target.ts'
import { readProxyPrices } from './live-pages/domain/proxy-prices.ts'
import { openKeyDirectory } from './operations/adapters/key-directory.ts'
import { measureReadiness } from './operations/adapters/measure-readiness.ts'
import { registerStreamGauges } from './operations/adapters/measure-streams.ts'
import { type OnChange, readinessChecks } from './operations/adapters/readiness.ts'
import { buildServer } from './server.ts'
import type { ServerDependencies, ServerOptions } from './server-dependencies.ts'
import { Settings } from './settings.ts'

const name = 'gateway'
/** Maximum milliseconds for which a read of the log waits for earlier calls. */
const untilLoggedMs = 500

type Log = ReturnType<typeof createLog>

/** The parts of the process that its start adds to. */
type Starting = {
  settings: Static<typeof Settings>
  log: Log
  report: ServerDependencies['report']
  started: AsyncDisposableStack
}

/** Starts listening; `url` is the address. Disposal first answers open requests and then closes all connections. */
export async function startService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<AsyncDisposable & { url: string }> {
  const settings = readSettings(Settings, env)
  const tls = readTls(settings)
  const readDirectory = openKeyDirectory(settings)
  const log = createLog(name)
  const reportOthers = reporter(log, 'a request failed')
  // The client received the request's id, so each of these errors is logged.
  const report = (error: unknown, requestId?: string) =>
    requestId === undefined
      ? reportOthers(error)
      : log.error({ err: error, request_id: requestId }, 'a request failed')

  await using started = new AsyncDisposableStack()
  const starting: Starting = { settings, log, report, started }
  const { bus, pool, objectBodies } = await openStores(starting, reportOthers)
  started.use(registerStreamGauges(bus))
  const { keys, clock } = followReadModel(starting, bus, pool, settings.KEY_USES_SECONDS * 1000)
  const findBlocked = await followBlocklist(starting, signal)
  const heartbeats = started.adopt(listenForHeartbeats(bus), heartbeats => heartbeats.close())
  signal.throwIfAborted()

  const redis = started.use(await openRedis(settings.REDIS_URL, redisEvents(log)))
  started.use(measureRedis(name, redis))
  const audit = started.use(openAudit(bus, { instance: settings.INSTANCE, report }))
  const ready = readinessChecks({ pool, bus, latestByService: heartbeats.latestByService }, logReadiness(log))
  started.use(measureReadiness(ready))
  const { publicUrl, isLocal, setListening } = ownAddress(settings, tls === null ? 'http' : 'https')
  const patterns = started.use(openPatternThread())
  const dependencies: ServerDependencies = {
    ...{ bus, clock, objectBodies, patterns, keys, ready, readDirectory, publicUrl, isLocal, report },
    ...{ reads: ofProject(pool), evidenceKeys: openEvidenceKeys(settings) },
    archives: openArchives(pool),
    secrets: sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD),
    noteCall: call => audit.note(call),
    untilLogged: projectId =>
      Promise.race([
        audit.published(projectId).then(last => clock.waitFor(streams.audit, last, untilLoggedMs)),
        sleep(untilLoggedMs),
      ]),
    takeTokens: settings.REQUEST_RATES ? ratesIn(redis) : null,
    ...{ operator: operatorKey(settings.ADMIN_KEY), instances: heartbeats.instances },
    sites: { judgeTarget: targetJudge(settings), judgeProxy: proxyJudge(settings), findBlocked },
    options: serverOptionsOf(settings),
    now: Date.now,
  }
  const app = started.adopt(await buildServer(dependencies, { ...httpOptionsOf(settings), tls }), app =>
    app.close(),
  )
  const certificate = tls && started.use(watchTls(settings, { now: tls, ...certificateEvents(app, log) }))
  if (certificate) started.use(measureCertificate(certificate.shown))
  const warn = () => redis.warn() ?? (certificate && certificateWarning(certificate.shown()))
  const listening = { host: settings.HOST, port: settings.PORT, reusePort: settings.PORT_SHARED }
  await app.listen(listening)
  const url = setListening(app.server.address() as AddressInfo)
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, warn }))
  return Object.assign(started.move(), { url })
}

/** Connects to NATS, Postgres and the object store, if one is configured. */
async function openStores({ settings, started }: Starting, report: ReturnType<typeof reporter>) {
  const poolSize = settings.GATEWAY_POOL_SIZE
  const { bus, db } = await openServers(started, { name, settings, database, poolSize, report })
  const { pool } = db
  started.use(measurePool(name, pool))
  const objectBodies = openObjectBodies(settings)
  if (objectBodies) {
    started.use(watchObjects({ bus, objects: objectBodies.objects, isSpare: true }))
    started.defer(objectBodies.objects.close)
  }
  return { bus, pool, objectBodies }
}

/**
 * Opens the storage of bodies outside of Postgres, which the gateway only reads. Returns undefined if bodies are only in
 * Postgres. Throws SettingsError with everything that is missing.
 */
function openObjectBodies(settings: Static<typeof Settings>): ObjectBodies | undefined {
  const faults = bodyFaults(settings)
  if (faults.length > 0) throw new SettingsError(faults)
  const bucket = bucketConfig(settings)
  return bucket === null ? undefined : { objects: openBucket(bucket) }
}

const followBlocklist = ({ settings, log }: Starting, signal: AbortSignal) =>
  openBlocklist({
    source: settings.BLOCKLIST,
    refreshSeconds: settings.BLOCKLIST_REFRESH,
    signal,
    report: error => log.warn({ err: error }, 'BLOCKLIST cannot be read; the last list stays in force'),
  })

/** The gateway's own addresses. They are final after `setListening`, which returns the address to which it is bound. */
function ownAddress({ HOST, PORT, PUBLIC_URL }: Static<typeof Settings>, scheme: 'http' | 'https') {
  let listensAt = listeningUrl(scheme, HOST, PORT)
  let isLocal = false
  return {
    publicUrl: () => PUBLIC_URL.replace(/\/+$/, '') || listensAt,
    isLocal: () => isLocal,
    setListening({ address, port }: AddressInfo): string {
      isLocal = isLoopback(address)
      listensAt = listeningUrl(scheme, HOST, port)
      return `${scheme}://${HOST}:${port}`
    },
  }
}

/** Returns the URL of a listening socket. A wildcard address becomes the loopback address. */
function listeningUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const address = loopbackOf[host] ?? host
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`
}

const loopbackOf: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Returns whether only programs on this machine can reach a socket that is bound to this address. */
const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/i.test(address)

const poolsOf = (pools: ReturnType<typeof readProxyPools>) => ({ names: () => poolNames(pools) })

const serverOptionsOf = (settings: Static<typeof Settings>): ServerOptions => ({
  signatureHeader: settings.PAYMENT_SIGNATURE_HEADER,
  tracesUrl: settings.TRACES_URL,
  idempotencyStrict: settings.IDEMPOTENCY_STRICT,
  streamsOfProject: settings.EVENT_STREAMS_PER_PROJECT,
  robotsToken: settings.ROBOTS_TOKEN,
  pools: poolsOf(readProxyPools(settings.PROXY_POOLS)),
  proxyPrices: readProxyPrices(settings.PROXY_PRICES),
  diffHash: settings.DIFF_HASH,
  hasTimeStamps: settings.EVIDENCE_TSA_URL !== '',
  cloudCrawlMs: settings.CLOUD_CRAWL_TIMEOUT * 1000,
  exportUrlSeconds: settings.EXPORT_URL_SECONDS,
  mcpHosts: settings.MCP_HOSTS,
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

const redisEvents = (log: Log) => ({
  away: (error: unknown) =>
    log.warn({ err: error }, 'Redis is unavailable: each gateway limits request rates by itself'),
  back: () => log.info('Redis is available again'),
  isHeldUp,
})

const certificateEvents = ({ server }: App, log: Log) => ({
  renewed: (tls: Tls) => {
    if (server instanceof Server) server.setSecureContext(tls)
    log.info('the certificate was renewed')
  },
  faulty: (error: unknown) =>
    log.warn({ err: error }, 'the renewed certificate cannot be used; the previous one stays in use'),
})

const logReadiness =
  (log: Log): OnChange =>
  (check, { status, cause }, err) => {
    if (status === 'fail') log.warn({ check, cause, err }, 'a check of readiness fails')
    else if (cause !== undefined) log.warn({ check, cause }, 'a check of readiness passes with a warning')
    else log.info({ check }, 'a check of readiness passes again')
  }
