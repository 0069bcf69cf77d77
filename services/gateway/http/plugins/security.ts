/** What every answer says for the safety of browsers, errors too. */
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'

/** Nobody may take an answer for anything but what it says it is. */
export const safetyHeaders = { 'x-content-type-options': 'nosniff' } as const

/** A year without a word over plain HTTP (RFC 6797). */
const onlyTls = { 'strict-transport-security': 'max-age=31536000' } as const

export function installSecurity(app: App, { tls }: { tls: boolean }): void {
  const headers = { ...safetyHeaders, ...(tls && onlyTls) }
  app.addHook('onRequest', (_request, reply: FastifyReply, done) => {
    reply.headers(headers)
    done()
  })
}
