/** The gateway, wired: stateless, so any number of them may serve side by side. */

import type { AddressInfo } from 'node:net'
import { Server } from 'node:tls'
import { openBlocklist } from '@tidemark/blocklist/open'
import { openBus } from '@tidemark/bus/connection'
import { beat, listenForHeartbeats } from '@tidemark/bus/heartbeat'
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
import { openActors } from './adapters/actors.ts'
import { openAudit } from './adapters/audit.ts'
import { openBilling } from './adapters/billing.ts'
import { openCloud } from './adapters/cloud.ts'
import { openContents } from './adapters/contents.ts'
import { describedPagesOf } from './adapters/described-pages.ts'
import { openDiffFields } from './adapters/diff-fields.ts'
import { openDiffReads } from './adapters/diff-reads.ts'
import { openElsewhere } from './adapters/elsewhere.ts'
import { openGraphPages } from './adapters/graph-pages.ts'
import { openInlinkReads } from './adapters/inlink-reads.ts'
import { rememberKeys } from './adapters/key-memory.ts'
import { openKeyRing } from './adapters/key-ring.ts'
import { openKeyUses } from './adapters/key-uses.ts'
import { listenForKeysChanged, lookUpKey } from './adapters/keys.ts'
import { lastRunOf } from './adapters/last-run.ts'
import { openLinkReads } from './adapters/link-reads.ts'
import { openLogReads } from './adapters/log-reads.ts'
import { judgesBy, mapsBy } from './adapters/maps.ts'
import { measureReadiness } from './adapters/measure-readiness.ts'
import { measureStreams } from './adapters/measure-streams.ts'
import { openMetering } from './adapters/metering.ts'
import { openMonitors } from './adapters/monitors.ts'
import { openOrphanReads } from './adapters/orphan-reads.ts'
import { pageContent } from './adapters/page-content.ts'
import { pageUrlsOf, unitsOfRunBy } from './adapters/page-places.ts'
import { openPageReads } from './adapters/page-reads.ts'
import { pagesLeftBy } from './adapters/pages-left.ts'
import { listenForProjected, readModelClock } from './adapters/projected.ts'
import { proxyPools } from './adapters/proxy-pools.ts'
import { readinessChecks, type Told } from './adapters/readiness.ts'
import { recentPageOf } from './adapters/recent-pages.ts'
import { robotsPoliciesBy } from './adapters/robots-policies.ts'
import { openRunAnswers } from './adapters/run-answers.ts'
import { openRunEvents } from './adapters/run-events.ts'
import { runOutcomesOf } from './adapters/run-outcomes.ts'
import { openRunReads } from './adapters/run-reads.ts'
import { openRuns } from './adapters/runs.ts'
import { openSitemaps } from './adapters/sitemaps.ts'
import { proxyJudge, targetJudge } from './adapters/target.ts'
import { readTls, type Tls, watchTls } from './adapters/tls.ts'
import { openUsage } from './adapters/usage.ts'
import { openWebhooks } from './adapters/webhooks.ts'
import type { App } from './app.ts'
import { database } from './database.ts'
import { readProxyPrices } from './domain/cloud/proxy-prices.ts'
import { listeningUrl, withoutSlash } from './domain/public-url.ts'
import { buildServer } from './server.ts'
import { Settings } from './settings.ts'

const name = 'gateway'

/** Starts listening; `url` says where. Disposing answers what is under way, then lets go of everything. */
export async function startService(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<AsyncDisposable & { url: string }> {
  const settings = readSettings(Settings, env)
  const tls = readTls(settings)
  const log = createLog(name)
  const report = (error: unknown, requestId?: string) =>
    log.error({ err: error, request_id: requestId }, 'a request failed')

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
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
  const reads = ofProject(pool)
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
  const usage = openUsage(bus)
  const audit = started.use(openAudit(bus, { instance: settings.INSTANCE, report }))
  const { seal, fingerprint } = sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD)
  const contents = openContents(bus)
  const inlinks = openInlinkReads(reads)
  const ready = readinessChecks({ pool, bus, heard: heartbeats.heard }, tellReadiness(log))
  started.use(measureReadiness(ready))
  const scheme = tls === null ? 'http' : 'https'
  let listensAt = listeningUrl(scheme, settings.HOST, settings.PORT)
  const ports = {
    findKey: keys.findKey,
    noteKeyUse: keyUses.note,
    keyRing: openKeyRing(bus, clock),
    billing: openBilling(bus, () => withoutSlash(settings.PUBLIC_URL) || listensAt),
    signatureHeader: settings.PAYMENT_SIGNATURE_HEADER,
    ready,
    judgeTarget: targetJudge(settings),
    judgeProxy: proxyJudge(settings),
    findBlocked,
    pools: proxyPools(settings.PROXY_POOLS),
    seal,
    ...openRuns(bus, openRunReads(reads), clock, fingerprint),
    runAnswers: openRunAnswers(bus, reads),
    monitors: openMonitors(bus, fingerprint, clock),
    readRunOutcomes: runOutcomesOf(reads),
    pages: openPageReads(reads, inlinks),
    links: openLinkReads(reads),
    orphans: openOrphanReads(reads),
    diffs: openDiffReads(reads, settings.DIFF_HASH),
    diffFields: openDiffFields(reads, inlinks),
    readContent: pageContent(reads, contents, elsewhere),
    followRun: openRunEvents({ bus, archives: openArchives(pool), report }),
    idempotencyStrict: settings.IDEMPOTENCY_STRICT,
    streamsOfProject: settings.EVENT_STREAMS_PER_PROJECT,
    mapSite: mapsBy(bus),
    judgeUrls: judgesBy(bus),
    robotsPolicy: robotsPoliciesBy(bus),
    findLastRun: lastRunOf(reads),
    contents,
    describePages: describedPagesOf(reads),
    findRecent: recentPageOf(reads),
    actors: openActors(bus),
    graphPages: openGraphPages(reads),
    sitemaps: openSitemaps(bus),
    cloud: openCloud(bus),
    proxyPrices: readProxyPrices(settings.PROXY_PRICES),
    probes: {
      delayMs: settings.PROBE_DELAY_MS,
      perHost: settings.PROBES_PER_HOST,
      blockedAs: settings.LINKCHECK_BLOCKED,
    },
    cloudCrawlMs: settings.CLOUD_CRAWL_TIMEOUT * 1000,
    metering: openMetering(bus, Date.now),
    ...usage,
    pageUrls: pageUrlsOf(reads),
    unitsOfRun: unitsOfRunBy(reads),
    takeTurn: ratesIn(redis),
    pagesLeft: pagesLeftBy(usage.readUsage, Date.now),
    noteCall: audit.note,
    readLog: openLogReads(reads),
    webhooks: openWebhooks(bus),
    now: Date.now,
    report,
  }
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
  if (tls !== null) started.use(watchTls(settings, { now: tls, ...certificateTold(app, log) }))
  const place = { host: settings.HOST, port: settings.PORT, reusePort: settings.PORT_SHARED }
  await app.listen(place)
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE }))
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
