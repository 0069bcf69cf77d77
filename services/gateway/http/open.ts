/** Opens a server with the HTTP rules that all features share. */
import type { IncomingMessage } from 'node:http'
import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifySchema } from 'fastify'
import type { App } from '../app.ts'
import type { Tls } from './adapters/tls.ts'
import { plain, plainInput } from './domain/plain-schema.ts'
import { type ProfileName, profiles } from './domain/profile.ts'
import { installBodies } from './plugins/body.ts'
import { installBodyBudget } from './plugins/body-budget.ts'
import { installCaching } from './plugins/caching.ts'
import { installClientAddress } from './plugins/client-address.ts'
import { answerUnreadable, installProtocolRules } from './plugins/client-error.ts'
import { installClosing } from './plugins/closing.ts'
import { installCors } from './plugins/cors.ts'
import { type DeprecationStyle, installDeprecation } from './plugins/deprecation.ts'
import { installMeasured } from './plugins/measured.ts'
import { installNotFound } from './plugins/not-found.ts'
import { installOneAtATime } from './plugins/one-at-a-time.ts'
import { installProblems, type Report, sendUnreadablePath } from './plugins/problem.ts'
import { installProfile } from './plugins/profile.ts'
import { installRefusedBodies } from './plugins/refused-body.ts'
import { installRequestId, newRequestId } from './plugins/request-id.ts'
import { installSecurityHeaders } from './plugins/security.ts'
import { installStalled } from './plugins/stalled.ts'
import { installTraced } from './plugins/traced.ts'
import { installValidation } from './plugins/validation.ts'
import { installWarnings } from './plugins/warnings.ts'

export type HttpOptions = {
  /** Maximum bytes of a request's body. */
  bodyLimit: number
  /** CIDRs of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[]
  profile: ProfileName
  deprecationStyle: DeprecationStyle
  /** Origins of web pages that may call the API; `*` means all. */
  corsOrigins: readonly string[]
  /** Null means plain HTTP. */
  tls: Tls | null
  /** Milliseconds for a request to arrive, and for which a client may read nothing of its response. */
  patience: { requestMs: number; stalledMs: number }
}

/** Interval at which Node checks for slow requests. */
const checkIntervalMs = 5_000

/** Maximum length of a path parameter: domains have up to 253 characters. */
const maxParameterLength = 300

const serializers = SerializerSelector()

/**
 * Compiles the schema of a response when it is first sent. Compiling all of them takes a tenth of the start of a
 * gateway, and most processes never send most of them.
 */
const serializersAtFirstUse: SerializerFactory = (schemas, options) => {
  const compile = serializers(schemas, options)
  return route => {
    let serialize: ReturnType<typeof compile> | undefined
    return data => {
      serialize ??= compile(route)
      return serialize(data)
    }
  }
}

/**
 * Opens the server. The error handlers are installed first, so that no route responds in another form. `isStopping`
 * returns whether the server drains.
 * @param rewriteUrl returns the address of a request that the router sees
 */
export async function openHttp(
  { trustedProxies, tls, patience, ...options }: HttpOptions,
  report: Report,
  rewriteUrl: (request: IncomingMessage) => string = ({ url = '/' }) => url,
): Promise<{ app: App; isStopping: () => boolean }> {
  const { requestMs } = patience
  const http = {
    requireHostHeader: false,
    requestTimeout: requestMs,
    // If the timeout of headers exceeds that of requests, Node swaps the two.
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(checkIntervalMs, requestMs),
  }
  const app = fastify({
    bodyLimit: options.bodyLimit,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: newRequestId,
    rewriteUrl,
    frameworkErrors: (_error, request, reply) => sendUnreadablePath(request, reply),
    clientErrorHandler: answerUnreadable,
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxParameterLength },
    schemaController: { compilersFactory: { buildSerializer: serializersAtFirstUse } },
    ...(tls === null ? { http } : { https: { ...http, ...tls } }),
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
  }).withTypeProvider<TypeBoxTypeProvider>() as App
  installProfile(app, profiles[options.profile])
  installProblems(app, report)
  installRequestId(app)
  installClientAddress(app)
  installOneAtATime(app)
  installStalled(app, patience.stalledMs)
  installTraced(app)
  installSecurityHeaders(app, { tls: tls !== null })
  await installCors(app, options.corsOrigins)
  installProtocolRules(app)
  installRefusedBodies(app)
  const isStopping = installClosing(app)
  installMeasured(app)
  installNotFound(app)
  installBodies(app)
  installBodyBudget(app)
  installValidation(app)
  installSchemas(app)
  installDeprecation(app, options.deprecationStyle)
  installWarnings(app)
  installCaching(app)
  return { app, isStopping }
}

/** Rewrites the schemas of every route to plain form before they are compiled. Call it before any route is added. */
function installSchemas(app: App): void {
  app.addHook('onRoute', route => {
    const { response, body, querystring, ...schema } = route.schema ?? {}
    route.schema = {
      ...schema,
      ...(body !== undefined && { body: plainInput(body) }),
      ...(querystring !== undefined && { querystring: plainInput(querystring) }),
      ...(response !== undefined && { response: plain(response) }),
    } as FastifySchema
  })
}
