/** Every request has a name of ours, and every answer carries it: in `X-Request-Id`, in errors, in logs. */
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
