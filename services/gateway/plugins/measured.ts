/** How long answers took, by route and status: never by address, of which strangers could name any number. */
import { histogram } from '@tidemark/telemetry/metrics'
import type { App } from '../app.ts'

const unknown = 'unknown'

export function installMeasured(app: App): void {
  const answered = histogram('tidemark.http.seconds')
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const route = routeOptions.url === undefined ? unknown : `${method} ${routeOptions.url}`
    answered(reply.elapsedTime / 1_000, { route, status: `${Math.floor(reply.statusCode / 100)}xx` })
  })
}
