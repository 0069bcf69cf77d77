/** Routes for liveness, which needs no other service, and readiness, which checks all of them. Both are public. */
import { causes, named } from '@tidemark/contracts/health'
import { NotReady } from '@tidemark/contracts/http/health'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { envelope } from '../http/plugins/problem.ts'
import type { Checks } from './adapters/readiness.ts'

const text = (word: string, description: string) => ({
  description,
  content: { 'text/plain': { schema: Type.Literal(word) } },
})

type HealthPorts = { ready: () => Promise<Checks>; isStopping: () => boolean }

export function healthRoutes(app: App, { ready, isStopping }: HealthPorts): void {
  app.get(
    '/v1/health',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Liveness',
        tags: ['Health'],
        description: 'Public. Returns 200 while the process runs, and checks no dependency.',
        response: { 200: text('ok', 'The process is running.') },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-store').type('text/plain').send('ok'),
  )

  app.get(
    '/v1/ready',
    {
      schema: {
        operationId: 'getReady',
        summary: 'Readiness',
        tags: ['Health'],
        description:
          'Public. Checks the database, the event stream and the heartbeats of all services. 503 names the checks that fail.',
        response: { 200: text('ready', 'All dependencies are available.'), 503: NotReady },
      },
    },
    async (request, reply) => {
      const checks = isStopping() ? stopping(await ready()) : await ready()
      reply.header('cache-control', 'no-store')
      if (failing(checks).length === 0) return reply.type('text/plain').send('ready')
      const problem = new ApiProblem('not_ready', { message: explain(checks), retryAfterSeconds: 5 })
      const body: NotReady = { status: 'fail', ...envelope(problem, request.id), checks }
      return reply.code(503).headers(problem.allHeaders).send(body)
    },
  )
}

/** Marks the gateway as not ready while it stops, so that load balancers choose another one. */
const stopping = (checks: Checks): Checks => ({
  ...checks,
  worker_heartbeat: {
    ...checks.worker_heartbeat,
    status: 'fail',
    missing: ['gateway'],
    cause: `gateway fails: ${named('stopping', causes.stopping)}`,
  },
})

/** Texts of failed checks. Causes come before their effects. */
const sentences: Record<keyof Checks, (checks: Checks) => string> = {
  database: ({ database: { cause } }) => `the database does not serve (${cause})`,
  event_stream: ({ event_stream: { cause } }) => `the event stream is away or full (${cause})`,
  worker_heartbeat: ({ worker_heartbeat: { cause } }) => `not all services work (${cause})`,
}

const failing = (checks: Checks) =>
  (Object.keys(sentences) as (keyof Checks)[]).filter(name => checks[name].status === 'fail')

const explain = (checks: Checks) =>
  `Not ready: ${failing(checks)
    .map(name => sentences[name](checks))
    .join('; ')}.`
