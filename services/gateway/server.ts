/** The HTTP server, put together from its plugins and routes; it knows the outside only by its ports. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import type { Checks } from './adapters/readiness.ts'
import type { Tls } from './adapters/tls.ts'
import type { App } from './app.ts'
import { type ProfileName, profiles } from './domain/profile.ts'
import { type AuditPorts, installAudit } from './plugins/audit.ts'
import { type AuthenticationPorts, installAuthentication } from './plugins/authentication.ts'
import { installBilled } from './plugins/billed.ts'
import { installBodies } from './plugins/body.ts'
import { installBodyRoom } from './plugins/body-room.ts'
import { installCaching } from './plugins/caching.ts'
import { installClientAddress } from './plugins/client-address.ts'
import { answerUnreadable, installProtocolRules } from './plugins/client-error.ts'
import { installClosing } from './plugins/closing.ts'
import { installCors } from './plugins/cors.ts'
import { type DeprecationStyle, installDeprecation } from './plugins/deprecation.ts'
import { installMeasured } from './plugins/measured.ts'
import { installNotFound } from './plugins/not-found.ts'
import { installOneAtATime } from './plugins/one-at-a-time.ts'
import { installOpenApi, serveOpenApi } from './plugins/openapi.ts'
import { installProblems, type Report, sendUnreadablePath } from './plugins/problem.ts'
import { installProfile } from './plugins/profile.ts'
import { installRateLimit, type RateLimitPorts } from './plugins/rate-limit.ts'
import { installRequestId, newRequestId } from './plugins/request-id.ts'
import { installSchemas } from './plugins/schemas.ts'
import { installSecurity } from './plugins/security.ts'
import { installStalled } from './plugins/stalled.ts'
import { installTraced } from './plugins/traced.ts'
import { installValidation } from './plugins/validation.ts'
import { installWarnings } from './plugins/warnings.ts'
import { actorRoutes } from './routes/actors/actor-routes.ts'
import type { ActorPorts } from './routes/actors/ports.ts'
import { type BillingPorts, billingRoutes, checkoutRoutes, paymentWebhookRoute } from './routes/billing.ts'
import { checkoutPageRoutes } from './routes/checkout-pages.ts'
import { cloudRoutes } from './routes/cloud/cloud-routes.ts'
import type { CloudPorts } from './routes/cloud/ports.ts'
import { type CoveragePorts, coverageRoutes } from './routes/coverage.ts'
import { type CrawlPorts, crawlRoutes } from './routes/crawls.ts'
import { type CronRunPorts, cronRunRoutes } from './routes/cron-runs.ts'
import { type CronPorts, cronRoutes } from './routes/crons.ts'
import { type DeliveryPorts, deliveryRoutes } from './routes/deliveries.ts'
import { type DiffPorts, diffRoutes } from './routes/diff.ts'
import { docsRoutes } from './routes/docs.ts'
import { type ErrorPorts, errorRoutes } from './routes/errors.ts'
import { type EstimatePorts, estimateRoutes } from './routes/estimate.ts'
import { type EventPorts, eventRoutes } from './routes/events.ts'
import { type ExplainPorts, explainRoutes } from './routes/explain.ts'
import { healthRoutes } from './routes/health.ts'
import { type KeyPorts, keyRoutes } from './routes/keys.ts'
import { type LinkPorts, linkRoutes } from './routes/links.ts'
import { type LlmsTxtPorts, llmsTxtRoute } from './routes/llms-txt.ts'
import { type LogPorts, logRoutes } from './routes/logs.ts'
import { type MapPorts, mapRoutes } from './routes/map.ts'
import { type PageDiffPorts, pageDiffRoute } from './routes/page-diff.ts'
import { type PagePorts, pageRoutes } from './routes/pages.ts'
import { type RobotsPolicyPorts, robotsPolicyRoutes } from './routes/robots-policy.ts'
import { type ScanPorts, scanRoutes } from './routes/scan.ts'
import { bulkScanRoutes } from './routes/scan-bulk.ts'
import { signupRoutes } from './routes/signup.ts'
import { type UsagePorts, usageRoutes } from './routes/usage.ts'
import { type LedgerPorts, ledgerRoutes } from './routes/usage-ledger.ts'
import { type WebhookPorts, webhookRoutes } from './routes/webhook.ts'

export type Ports = CrawlPorts &
  ActorPorts &
  BillingPorts &
  CloudPorts &
  CoveragePorts &
  ErrorPorts &
  ExplainPorts &
  CronPorts &
  DeliveryPorts &
  CronRunPorts &
  DiffPorts &
  PageDiffPorts &
  EventPorts &
  EstimatePorts &
  KeyPorts &
  LogPorts &
  AuditPorts &
  RateLimitPorts &
  LinkPorts &
  LlmsTxtPorts &
  MapPorts &
  PagePorts &
  ScanPorts &
  RobotsPolicyPorts &
  UsagePorts &
  LedgerPorts &
  WebhookPorts &
  AuthenticationPorts & { ready: () => Promise<Checks>; report: Report }

export type ServerOptions = {
  /** Bytes of a request's body. */
  bodyLimit: number
  /** CIDRs whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** Whether projects are held to a rate of requests. */
  requestRates: boolean
  profile: ProfileName
  deprecationStyle: DeprecationStyle
  /** Of web pages that may ask; `*` is all. */
  corsOrigins: readonly string[]
  /** Null: plain HTTP. */
  tls: Tls | null
  /** For a request to arrive, and for a client that takes nothing of its answer. */
  patience: { requestMs: number; stalledMs: number }
}

/** How often Node looks for requests that take too long. */
const lookEveryMs = 5_000

/** Of a path's parameter: domains have up to 253 characters. */
const longestParameter = 300

/** Ready to listen. Errors are installed first, so that no route can answer in another form. */
export async function buildServer(ports: Ports, options: ServerOptions): Promise<App> {
  const { trustedProxies, requestRates, tls, patience } = options
  const { requestMs } = patience
  const http = {
    requireHostHeader: false,
    requestTimeout: requestMs,
    // Where heads may take longer than requests, Node takes the one limit for the other.
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(lookEveryMs, requestMs),
  }
  const app = fastify({
    bodyLimit: options.bodyLimit,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: newRequestId,
    frameworkErrors: (_error, request, reply) => sendUnreadablePath(request, reply),
    clientErrorHandler: answerUnreadable,
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestParameter },
    ...(tls === null ? { http } : { https: { ...http, ...tls } }),
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
  }).withTypeProvider<TypeBoxTypeProvider>() as App
  installProfile(app, profiles[options.profile])
  installProblems(app, ports.report)
  installRequestId(app)
  installClientAddress(app)
  installOneAtATime(app)
  installStalled(app, patience.stalledMs)
  installTraced(app)
  installSecurity(app, { tls: tls !== null })
  await installCors(app, options.corsOrigins)
  installProtocolRules(app)
  const isStopping = installClosing(app)
  installMeasured(app)
  installNotFound(app)
  installBodies(app)
  installBodyRoom(app)
  installValidation(app)
  installSchemas(app)
  installDeprecation(app, options.deprecationStyle)
  installCaching(app)
  await installOpenApi(app)

  serveOpenApi(app)
  docsRoutes(app)
  healthRoutes(app, { ready: ports.ready, isStopping })
  await app.register(async scope => signupRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), ports))
  checkoutRoutes(app, ports)
  await app.register(async scope => paymentWebhookRoute(scope.withTypeProvider<TypeBoxTypeProvider>(), ports))
  await app.register(async scope => checkoutPageRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), ports))
  await app.register(async scope =>
    addPrivateRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), ports, requestRates),
  )
  return app
}

function addPrivateRoutes(app: App, ports: Ports, requestRates: boolean): void {
  installAuthentication(app, ports)
  installAudit(app, ports)
  if (requestRates) installRateLimit(app, ports)
  installWarnings(app)
  const metering = installBilled(app, ports.metering)
  crawlRoutes(app, ports)
  coverageRoutes(app, ports)
  errorRoutes(app, ports)
  explainRoutes(app, ports)
  eventRoutes(app, ports)
  cronRoutes(app, ports)
  cronRunRoutes(app, ports)
  pageRoutes(app, ports)
  linkRoutes(app, ports)
  diffRoutes(app, ports)
  pageDiffRoute(app, ports)
  mapRoutes(app, ports)
  estimateRoutes(app, ports)
  scanRoutes(app, { ...ports, metering })
  bulkScanRoutes(app, { ...ports, metering })
  cloudRoutes(app, { ...ports, metering })
  actorRoutes(app, { ...ports, metering })
  llmsTxtRoute(app, ports)
  robotsPolicyRoutes(app, ports)
  usageRoutes(app, ports)
  ledgerRoutes(app, ports)
  keyRoutes(app, ports)
  billingRoutes(app, ports)
  logRoutes(app, ports)
  webhookRoutes(app, ports)
  deliveryRoutes(app, ports)
}
