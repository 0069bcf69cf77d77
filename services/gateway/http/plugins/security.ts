/** Sets the security headers of every answer, errors included. */
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'

/** Prevents browsers from guessing another type of an answer. */
export const safetyHeaders = { 'x-content-type-options': 'nosniff' } as const

/** Browsers use only HTTPS for a year (RFC 6797). */
const onlyTls = { 'strict-transport-security': 'max-age=31536000' } as const

export function installSecurityHeaders(app: App, { tls }: { tls: boolean }): void {
  const headers = { ...safetyHeaders, ...(tls && onlyTls) }
  app.addHook('onRequest', (_request, reply: FastifyReply, done) => {
    reply.headers(headers)
    done()
  })
}
