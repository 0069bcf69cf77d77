/** Gives every request an id, which is sent in `X-Request-Id` and in errors, and logged. */
import { randomUUID } from 'node:crypto'
import type { App } from '../../app.ts'

export const requestIdHeader = 'x-request-id'

export const newRequestId = (): string => randomUUID()

export function installRequestId(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id)
    done()
  })
}
