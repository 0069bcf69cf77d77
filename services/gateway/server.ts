/** The HTTP server: the rules for every request, and the features. */
import { createFairLine } from '@tidemark/bus/fair-line'
import type { PagesOfDay } from './access/adapters/pages-left.ts'
import { callerChecker, keyChecker, shareAccessChecker } from './access/authentication.ts'
import { countPages } from './access/count-pages.ts'
import { registerAccess } from './access/register.ts'
import { openAccount, registerAccount, registerSignup } from './account/register.ts'
import { registerActors } from './actors/register.ts'
import type { App } from './app.ts'
import { registerCloud } from './cloud/register.ts'
import { registerConsole, registerShares } from './console/register.ts'
import { rewrittenAddress } from './console/relay.ts'
import { registerCrawls } from './crawls/register.ts'
import { registerDiffs } from './diffs/register.ts'
import { registerEvidence, registerEvidenceKeys } from './evidence/register.ts'
import { registerExportFiles, registerExports } from './exports/register.ts'
import { type HttpOptions, openHttp } from './http/open.ts'
import { limitLinkScans } from './http/responses/link-scans.ts'
import { registerLinks } from './links/register.ts'
import { registerMcp } from './mcp/register.ts'
import { registerMetering } from './metering/register.ts'
import { registerMonitors } from './monitors/register.ts'
import { registerOperations, registerOperator } from './operations/register.ts'
import { registerPages } from './pages/register.ts'
import { openInlinkReads } from './read-model/adapters/inlink-reads.ts'
import { openRunsAsOf } from './read-model/adapters/runs-as-of.ts'
import { registerReferencePages } from './reference-pages/register.ts'
import { registerScan } from './scan/register.ts'
import type { ServerDependencies } from './server-dependencies.ts'
import { registerWebhooks } from './webhooks/register.ts'

/** Returns a server that is ready to listen. */
export async function buildServer(dependencies: ServerDependencies, httpOptions: HttpOptions): Promise<App> {
  const { bus, reads, clock, publicUrl, isLocal, report, now, secrets, sites, options } = dependencies
  const { ready, readDirectory, operator, instances, untilLogged } = dependencies
  const { signatureHeader, tracesUrl } = options
  const { latestKeyUse } = dependencies.keys
  const account = openAccount({
    bus,
    reads,
    clock,
    publicUrl,
    isLocal,
    signatureHeader,
    untilLogged,
    latestKeyUse,
    now,
  })
  const { app, isStopping } = await openHttp(httpOptions, report, rewrittenAddress)
  await registerReferencePages(app)
  registerOperations(app, { ready, isStopping, readDirectory })
  const checkKey = keyChecker({ findKey: dependencies.keys.findKey, now })
  const checkShareAccess = shareAccessChecker({ findKey: dependencies.keys.findKey, now })
  registerConsole(app, { secrets, checkKey, checkShareAccess, operator, publicUrl, now })
  await registerOperator(app, { operator, checkKey, bus, instances, tracesUrl, report, now })
  await registerSignup(app, account)
  registerEvidenceKeys(app, dependencies)
  registerExportFiles(app, { bus, reads, publicUrl, secrets, sites, options, now })
  await app.register(async scope => {
    const { keys, noteCall, takeTokens } = dependencies
    const pagesLeft = registerAccess(scope as App, { bus, keys, noteCall, takeTokens, now })
    registerFeatures(scope as App, dependencies, pagesLeft)
    registerAccount(scope as App, account)
    registerMcp(scope as App, {
      publicUrl,
      hosts: options.mcpHosts,
      origins: httpOptions.corsOrigins,
      report,
    })
  })
  return app
}

/** Registers the features that require a key. */
function registerFeatures(app: App, dependencies: ServerDependencies, pagesLeft: PagesOfDay): void {
  const { bus, reads, clock, archives, objectBodies, patterns, secrets, sites, publicUrl, report, now } =
    dependencies
  const { pools, proxyPrices, probes, cloudCrawlMs, diffHash, ...options } = dependencies.options
  const { idempotencyStrict, streamsOfProject, robotsToken, hasTimeStamps } = options
  const { judgeTarget } = sites
  const metering = countPages(registerMetering(app, { bus, now }), pagesLeft)
  const linkSource = { reads, line: createFairLine() }
  const scanLinks = limitLinkScans()
  const inlinks = openInlinkReads(linkSource)
  const runsAsOf = openRunsAsOf(bus, reads, clock, now)
  const { hasRun, findRun } = registerCrawls(app, {
    ...{ bus, reads, clock, archives, patterns, secrets, sites, metering, runsAsOf },
    ...{ pools, idempotencyStrict, streamsOfProject, robotsToken, report, now },
    checkCaller: callerChecker({ findKey: dependencies.keys.findKey, now }),
  })
  registerMonitors(app, { bus, reads, clock, judgeTarget, metering, hasRun })
  const { runOfPage } = registerPages(app, {
    ...{ bus, reads, objectBodies, inlinks, scanLinks, hasRun, runsAsOf, metering },
  })
  registerLinks(app, { linkSource, scanLinks, hasRun, findRun, runsAsOf })
  registerExports(app, { bus, reads, publicUrl, secrets, sites, options: dependencies.options, findRun, now })
  registerEvidence(app, {
    ...{ bus, reads, evidenceKeys: dependencies.evidenceKeys, hasTimeStamps, hasRun, findRun, report, now },
  })
  registerDiffs(app, { bus, reads, inlinks, scanLinks, hasRun, metering, diffHash })
  registerScan(app, {
    ...{ bus, reads, sites, metering, proxyPrices, secrets, idempotencyStrict, report, now },
  })
  registerCloud(app, { bus, sites, metering, proxyPrices, cloudCrawlMs, now })
  registerActors(app, { bus, reads, sites, metering, proxyPrices, probes, hasRun, report })
  registerShares(app, { bus, secrets, publicUrl, hasRun, findRun, runOfPage, now })
  registerWebhooks(app, { bus, clock, judgeTarget, hasRun })
}
