/** What a monitor has started: its due minutes with what became of each, and one more whenever somebody asks for it. */
import { CrawlAccepted } from '@tidemark/contracts/http/crawls'
import { MonitorParams, MonitorRunList, MonitorRunListQuery } from '@tidemark/contracts/http/crons'
import type { Monitors } from '../adapters/monitors.ts'
import type { ReadRunOutcomes } from '../adapters/run-outcomes.ts'
import type { App } from '../app.ts'
import { monitorRun } from '../domain/monitor-run.ts'
import { ApiProblem } from '../domain/problem.ts'
import { oneMore, partOf } from '../domain/window.ts'
import { byStatus } from './answers.ts'
import { refusing, spentPages } from './spent-pages.ts'
import { accepted, IdempotencyHeaders, type StartPorts } from './start-crawl.ts'

export type CronRunPorts = Pick<StartPorts, 'metering'> & {
  monitors: Pick<Monitors, 'ticks' | 'run'>
  readRunOutcomes: ReadRunOutcomes
}

const tags = ['Monitors']

export function cronRunRoutes(app: App, ports: CronRunPorts): void {
  const { monitors, readRunOutcomes } = ports
  app.get(
    '/v1/crons/:id/runs',
    {
      schema: {
        operationId: 'listMonitorRuns',
        summary: 'List what a monitor did',
        tags,
        description:
          'Its due minutes with what became of each: the crawl that it started, or why it started none. After an outage the minutes that were missed are one. Crawls that were asked for stand among them.',
        params: MonitorParams,
        querystring: MonitorRunListQuery,
        response: { 200: MonitorRunList },
      },
    },
    async ({ caller: { projectId }, params, query }) => {
      const ticks = await monitors.ticks({ projectId, monitorId: params.id, ...oneMore(query) })
      if (ticks === null) throw new ApiProblem('not_found')
      const { items, next_offset } = partOf(query, ticks)
      const runs = await readRunOutcomes(
        projectId,
        items.flatMap(({ runId }) => runId ?? []),
      )
      return { items: items.map(tick => monitorRun(tick, runs.get(tick.runId ?? 0))), next_offset }
    },
  )

  app.post(
    '/v1/crons/:id/run',
    {
      schema: {
        operationId: 'runMonitor',
        summary: 'Start a crawl of a monitor now',
        tags,
        description:
          'One more between its due minutes, which stay as they are; of a monitor that is not enabled too. It is compared with the crawl before, and told, like any other of the monitor. Send an `Idempotency-Key`, and repeating the request starts nothing twice.',
        headers: IdempotencyHeaders,
        params: MonitorParams,
        response: byStatus([app.profile.started, CrawlAccepted]),
      },
    },
    async (request, reply) => {
      const { caller, params, headers } = request
      const idempotencyKey = headers['idempotency-key'] ?? null
      const spent = await spentPages(ports.metering, request, idempotencyKey)
      if (spent !== null && idempotencyKey === null) throw spent
      const started = await monitors.run({
        projectId: caller.projectId,
        monitorId: params.id,
        idempotencyKey,
        ...refusing(spent),
      })
      if (started === null) throw new ApiProblem('not_found')
      if (started.replayed) reply.header('idempotent-replayed', 'true')
      return reply
        .code(app.profile.started)
        .header('location', `/v1/crawls/${started.id}`)
        .send(accepted(started))
    },
  )
}
