/** Part of the wiring: the outside world as the routes and plugins want it. */
import type { Bus } from '@tidemark/bus/connection'
import { openArchives } from '@tidemark/content/archive'
import type { Elsewhere } from '@tidemark/content/store'
import type { Database } from '@tidemark/db/database'
import { ofProject } from '@tidemark/db/of-project'
import { sealer } from '@tidemark/secrets/seal'
import type { Static } from 'typebox'
import { openActors } from '../adapters/actors.ts'
import { openBilling } from '../adapters/billing.ts'
import { openCloud } from '../adapters/cloud.ts'
import { openContents } from '../adapters/contents.ts'
import { describedPagesOf } from '../adapters/described-pages.ts'
import { openDiffFields } from '../adapters/diff-fields.ts'
import { openDiffReads } from '../adapters/diff-reads.ts'
import { openGraphPages } from '../adapters/graph-pages.ts'
import { openInlinkReads } from '../adapters/inlink-reads.ts'
import { openKeyRing } from '../adapters/key-ring.ts'
import { lastRunOf } from '../adapters/last-run.ts'
import { openLinkReads } from '../adapters/link-reads.ts'
import { openLogReads } from '../adapters/log-reads.ts'
import { judgesBy, mapsBy } from '../adapters/maps.ts'
import { openMetering } from '../adapters/metering.ts'
import { openMonitors } from '../adapters/monitors.ts'
import { openOrphanReads } from '../adapters/orphan-reads.ts'
import { pageContent } from '../adapters/page-content.ts'
import { pageUrlsOf, unitsOfRunBy } from '../adapters/page-places.ts'
import { openPageReads } from '../adapters/page-reads.ts'
import { pagesLeftBy } from '../adapters/pages-left.ts'
import type { ReadModelClock } from '../adapters/projected.ts'
import { proxyPools } from '../adapters/proxy-pools.ts'
import { recentPageOf } from '../adapters/recent-pages.ts'
import { robotsPoliciesBy } from '../adapters/robots-policies.ts'
import { openRunAnswers } from '../adapters/run-answers.ts'
import { openRunEvents } from '../adapters/run-events.ts'
import { runOutcomesOf } from '../adapters/run-outcomes.ts'
import { openRunReads } from '../adapters/run-reads.ts'
import { openRuns } from '../adapters/runs.ts'
import { seedFailureOf } from '../adapters/seed-failure.ts'
import { openSitemaps } from '../adapters/sitemaps.ts'
import { proxyJudge, targetJudge } from '../adapters/target.ts'
import { openUsage } from '../adapters/usage.ts'
import { openWebhooks } from '../adapters/webhooks.ts'
import { readProxyPrices } from '../domain/cloud/proxy-prices.ts'
import type { Ports } from '../server.ts'
import type { Settings } from '../settings.ts'

/** What has a life of its own, and is ended with the service. */
type Given = Pick<Ports, 'findKey' | 'noteKeyUse' | 'findBlocked' | 'ready' | 'takeTurn' | 'noteCall'>

type Parts = {
  settings: Static<typeof Settings>
  bus: Bus
  pool: Database['pool']
  /** What the read model has reached. */
  clock: ReadModelClock
  elsewhere: Elsewhere | undefined
  /** Under which clients reach us; it is known once we listen. */
  publicUrl: () => string
  report: (error: unknown, requestId?: string) => void
}

/** Everything that `buildServer` asks for. */
export function portsOf(parts: Parts, given: Given): Ports {
  const { settings, bus, pool, clock, elsewhere, publicUrl, report } = parts
  const reads = ofProject(pool)
  const usage = openUsage(bus)
  const { seal, fingerprint } = sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD)
  const contents = openContents(bus)
  const inlinks = openInlinkReads(reads)
  return {
    ...given,
    keyRing: openKeyRing(bus, clock),
    billing: openBilling(bus, publicUrl),
    signatureHeader: settings.PAYMENT_SIGNATURE_HEADER,
    judgeTarget: targetJudge(settings),
    judgeProxy: proxyJudge(settings),
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
    seedFailure: seedFailureOf(reads),
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
    pagesLeft: pagesLeftBy(usage.readUsage, Date.now),
    readLog: openLogReads(reads),
    webhooks: openWebhooks(bus),
    now: Date.now,
    report,
  }
}
