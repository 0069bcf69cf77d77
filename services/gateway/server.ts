/** The HTTP server, put together from its plugins and routes; it knows the outside only by its ports. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import type { Checks } from './adapters/readiness.ts'
import type { App } from './app.ts'
import { type AuditPorts, installAudit } from './plugins/audit.ts'
import { type AuthenticationPorts, installAuthentication } from './plugins/authentication.ts'
import { installBodies } from './plugins/body.ts'
import { answerUnreadable, installProtocolRules } from './plugins/client-error.ts'
import { installNotFound } from './plugins/not-found.ts'
import { installOpenApi, serveOpenApi } from './plugins/openapi.ts'
import { installProblems, type Report, sendUnreadablePath } from './plugins/problem.ts'
import { installRateLimit, type RateLimitPorts } from './plugins/rate-limit.ts'
import { installRequestId, newRequestId } from './plugins/request-id.ts'
import { installSchemas } from './plugins/schemas.ts'
import { installValidation } from './plugins/validation.ts'
import { installWarnings } from './plugins/warnings.ts'
import { type CoveragePorts, coverageRoutes } from './routes/coverage.ts'
import { type CrawlPorts, crawlRoutes } from './routes/crawls.ts'
import { type CronPorts, cronRoutes } from './routes/crons.ts'
import { type DiffPorts, diffRoutes } from './routes/diff.ts'
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
import { type PagePorts, pageRoutes } from './routes/pages.ts'
import { type RobotsPolicyPorts, robotsPolicyRoutes } from './routes/robots-policy.ts'
import { type ScanPorts, scanRoutes } from './routes/scan.ts'
import { bulkScanRoutes } from './routes/scan-bulk.ts'
import { type UsagePorts, usageRoutes } from './routes/usage.ts'
import { type WebhookPorts, webhookRoutes } from './routes/webhook.ts'

export type Ports = CrawlPorts &
  CoveragePorts &
  ErrorPorts &
  ExplainPorts &
  CronPorts &
  DiffPorts &
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
  WebhookPorts &
  AuthenticationPorts & { ready: () => Promise<Checks>; report: Report }

export type ServerOptions = {
  /** Bytes of a request's body. */
  bodyLimit: number
  /** CIDRs whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** Whether projects are held to a rate of requests. */
  requestRates: boolean
}

/** Ready to listen. Errors are installed first, so that no route can answer in another form. */
export async function buildServer(
  ports: Ports,
  { bodyLimit, trustedProxies, requestRates }: ServerOptions,
): Promise<App> {
  const app: App = fastify({
    bodyLimit,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: newRequestId,
    frameworkErrors: (_error, request, reply) => sendUnreadablePath(request, reply),
    clientErrorHandler: answerUnreadable,
    return503OnClosing: false,
    http: { requireHostHeader: false },
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
  }).withTypeProvider<TypeBoxTypeProvider>()
  installProblems(app, ports.report)
  installRequestId(app)
  installProtocolRules(app)
  installNotFound(app)
  installBodies(app)
  installValidation(app)
  installSchemas(app)
  await installOpenApi(app)

  serveOpenApi(app)
  healthRoutes(app, ports.ready)
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
  crawlRoutes(app, ports)
  coverageRoutes(app, ports)
  errorRoutes(app, ports)
  explainRoutes(app, ports)
  eventRoutes(app, ports)
  cronRoutes(app, ports)
  pageRoutes(app, ports)
  linkRoutes(app, ports)
  diffRoutes(app, ports)
  mapRoutes(app, ports)
  estimateRoutes(app, ports)
  scanRoutes(app, ports)
  bulkScanRoutes(app, ports)
  llmsTxtRoute(app, ports)
  robotsPolicyRoutes(app, ports)
  usageRoutes(app, ports)
  keyRoutes(app, ports)
  logRoutes(app, ports)
  webhookRoutes(app, ports)
}
