/**
 * Measures the duration of calls by route and result. URLs are not used as labels, because clients could create any
 * number of them.
 */
import { histogram } from '@tidemark/telemetry/metrics'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { clientLeftStatus } from '../domain/problem.ts'
import { problemOf } from '../requests/problem-of.ts'
import { whenCallEnds } from './call-ended.ts'
import { isOfOthers } from './problem.ts'

const unknown = 'unknown'

export function installMeasured(app: App): void {
  const ended = histogram('tidemark.http.seconds')
  const externalFaults = new WeakSet<FastifyRequest>()
  app.addHook('onError', async (request, _reply, error) => {
    if (isOfOthers(problemOf(error))) externalFaults.add(request)
  })
  whenCallEnds(app, (request, reply, status) => {
    const { method, routeOptions } = request
    const route = routeOptions.url === undefined ? unknown : `${method} ${routeOptions.url}`
    ended(reply.elapsedTime / 1_000, { route, status: classOf(status, externalFaults.has(request)) })
  })
}

function classOf(status: number, isExternal: boolean): string {
  if (status === clientLeftStatus) return 'aborted'
  return isExternal ? 'elsewhere' : `${Math.floor(status / 100)}xx`
}
