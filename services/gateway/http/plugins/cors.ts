/**
 * Lets web pages of configured origins call this API from a browser. Keys authenticate, never cookies, so credentials are
 * never allowed. Preflight requests need no key.
 */
import cors from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'

const shared = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-None-Match',
    'Last-Event-ID',
    'MCP-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
    'traceparent',
  ],
  exposedHeaders: [
    'X-Request-Id',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
    'Location',
    'ETag',
    'Link',
    'Content-Disposition',
    'Content-Range',
    'Accept-Ranges',
    'X-Next-Offset',
    'X-Warnings',
    'Idempotent-Replayed',
    'X-Pages-Billed',
    'X-Cloud-Pages-Billed',
    'Deprecation',
    'Allow',
    'WWW-Authenticate',
    'traceparent',
  ],
  credentials: false,
  maxAge: 7200,
}

/**
 * Installs CORS. Call it before any route is added.
 * @param origins exact origins such as `https://app.example.com`, or `*` for all; without any, CORS is disabled
 */
export async function installCors(app: App, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  const origin = origins.includes('*') ? '*' : [...origins]
  await app.register(cors, {
    delegator: async (request: FastifyRequest) => ({ ...shared, origin, preflight: isPreflight(request) }),
  })
}

/** Returns whether it is a preflight. Any other OPTIONS is a method that no path supports (Fetch, 3.2.2). */
const isPreflight = ({ headers }: FastifyRequest) =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined
