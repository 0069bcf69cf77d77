/**
 * Names a request's span by its route, never by its address. Sends the trace of the request as W3C `traceparent` in each
 * answer, if there is a trace. It is the client's own trace, if the client sent one.
 */
import { addSpanAttributes, currentTraceparent } from '@tidemark/bus/trace'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { App } from '../../app.ts'

const header = 'traceparent'

export function installTraced(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const traceparent = currentTraceparent()
    if (traceparent !== undefined) {
      reply.header(header, traceparent)
      const { url: route } = request.routeOptions
      const about = { [spanAttributes.service]: 'gateway', [spanAttributes.requestId]: request.id }
      if (route === undefined) addSpanAttributes(about)
      else
        addSpanAttributes(
          { ...about, [spanAttributes.httpRoute]: route },
          spanNames.request(request.method, route),
        )
    }
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.caller) addSpanAttributes({ [spanAttributes.projectId]: request.caller.projectId })
    done()
  })
}
