/** The gateway, wired: stateless, so any number of them may serve side by side. */

import type { AddressInfo } from 'node:net'
import { Server } from 'node:tls'
import { openBlocklist } from '@tidemark/blocklist/open'
import { openBus } from '@tidemark/bus/connection'
import { beat, listenForHeartbeats } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { readSettings } from '@tidemark/config/settings'
import { watchObjects } from '@tidemark/content/watch-objects'
import type { Projected } from '@tidemark/contracts/tells'
import { openDatabase } from '@tidemark/db/database'
import { watchDatabase } from '@tidemark/db/watch'
import { openRedis } from '@tidemark/redis/connect'
import { ratesIn } from '@tidemark/redis/rates'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { measureRedis } from '@tidemark/telemetry/redis-metrics'
import { openAudit } from './adapters/audit.ts'
import { openElsewhere } from './adapters/elsewhere.ts'
import { rememberKeys } from './adapters/key-memory.ts'
import { openKeyUses } from './adapters/key-uses.ts'
import { listenForKeysChanged, lookUpKey } from './adapters/keys.ts'
import { certificateWarning, measureCertificate } from './adapters/measure-certificate.ts'
import { measureReadiness } from './adapters/measure-readiness.ts'
import { measureStreams } from './adapters/measure-streams.ts'
import { listenForProjected, readModelClock } from './adapters/projected.ts'
import { readinessChecks, type Told } from './adapters/readiness.ts'
import { readTls, type Tls, watchTls } from './adapters/tls.ts'
import type { App } from './app.ts'
import { database } from './database.ts'
import { listeningUrl, withoutSlash } from './domain/public-url.ts'
import { buildServer } from './server.ts'
import { Settings } from './settings.ts'
import { portsOf } from './wiring/ports.ts'

const name = 'gateway'

/** Starts listening; `url` says where. Disposing answers what is under way, then lets go of everything. */
export async function startService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<AsyncDisposable & { url: string }> {
  const settings = readSettings(Settings, env)
  const tls = readTls(settings)
  const log = createLog(name)
  const reportOthers = reporter(log, 'a request failed')
  // Whoever asked was given the id to look for, so each of these is written.
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
  const publicUrl = () => withoutSlash(settings.PUBLIC_URL) || listensAt
  const ports = portsOf(
    { settings, bus, pool, clock, elsewhere, publicUrl, report },
    {
      findKey: keys.findKey,
      noteKeyUse: keyUses.note,
      findBlocked,
      ready,
      takeTurn: ratesIn(redis),
      noteCall: audit.note,
    },
  )
  const serverOptions = {
    bodyLimit: settings.BODY_LIMIT,
    trustedProxies: settings.TRUSTED_PROXIES,
    requestRates: settings.REQUEST_RATES,
    profile: settings.API_PROFILE,
    deprecationStyle: settings.DEPRECATION_STYLE,
    corsOrigins: settings.CORS_ORIGINS,
    tls,
    patience: { requestMs: settings.REQUEST_SECONDS * 1000, stalledMs: settings.STALLED_SECONDS * 1000 },
  }
  const app = started.adopt(await buildServer(ports, serverOptions), app => app.close())
  const certificate = tls && started.use(watchTls(settings, { now: tls, ...certificateTold(app, log) }))
  if (certificate) started.use(measureCertificate(certificate.shown))
  const warn = () => redis.warn() ?? (certificate && certificateWarning(certificate.shown()))
  const place = { host: settings.HOST, port: settings.PORT, reusePort: settings.PORT_SHARED }
  await app.listen(place)
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE, warn }))
  const { port } = app.server.address() as AddressInfo
  listensAt = listeningUrl(scheme, settings.HOST, port)
  return Object.assign(started.move(), { url: `${scheme}://${settings.HOST}:${port}` })
}

const redisTold = (log: ReturnType<typeof createLog>) => ({
  away: (error: unknown) =>
    log.warn({ err: error }, 'Redis is away: each gateway goes by rates of requests of its own'),
  back: () => log.info('Redis is back'),
})

const certificateTold = ({ server }: App, log: ReturnType<typeof createLog>) => ({
  renewed: (tls: Tls) => {
    if (server instanceof Server) server.setSecureContext(tls)
    log.info('the certificate was renewed')
  },
  faulty: (error: unknown) =>
    log.warn({ err: error }, 'the renewed certificate cannot be used; the last one stays'),
})

const tellReadiness =
  (log: ReturnType<typeof createLog>): Told =>
  (check, { status, cause }, err) => {
    if (status === 'fail') log.warn({ check, cause, err }, 'a check of readiness fails')
    else if (cause !== undefined)
      log.warn({ check, cause }, 'a check of readiness passes, and wants something seen to')
    else log.info({ check }, 'a check of readiness passes again')
  }
