/** Routes for the runs of a monitor: they list the result of each due minute, and start a manual run. */
import { CrawlAccepted } from '@tidemark/contracts/http/crawls'
import { MonitorParams, MonitorRunList, MonitorRunListQuery } from '@tidemark/contracts/http/crons'
import type { TickView } from '@tidemark/contracts/rpc/monitors'
import type { App } from '../app.ts'
import { accepted, IdempotencyHeaders } from '../crawls/started.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { oneMore, partOf } from '../http/domain/window.ts'
import { byStatus } from '../http/responses/answers.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { refusing, spentPages } from '../metering/spent-pages.ts'
import type { HasRun } from '../read-model/existing-run.ts'
import type { Monitors } from './adapters/monitors.ts'
import type { ReadRunOutcomes } from './adapters/run-outcomes.ts'
import { monitorRun } from './domain/monitor-run.ts'

export type CronRunPorts = {
  metering: Pick<Metering, 'reserve' | 'release'>
  monitors: Pick<Monitors, 'ticks' | 'run'>
  readRunOutcomes: ReadRunOutcomes
  hasRun: HasRun
}

const tags = ['Monitors']

export function cronRunRoutes(app: App, ports: CronRunPorts): void {
  listMonitorRunsRoute(app, ports)
  runMonitorRoute(app, ports)
}

function listMonitorRunsRoute(app: App, { monitors, readRunOutcomes, hasRun }: CronRunPorts): void {
  app.get(
    '/v1/crons/:id/runs',
    {
      schema: {
        operationId: 'listMonitorRuns',
        summary: 'List the runs of a monitor',
        tags,
        description:
          'Lists the scheduled times with the outcome of each: the crawl that it started, or the reason why it started none. Times that were missed during an outage are merged into one row. Manual crawls are listed too.',
        params: MonitorParams,
        querystring: MonitorRunListQuery,
        response: { 200: MonitorRunList },
      },
    },
    async ({ caller: { projectId }, params, query }) => {
      const ticks = found(await monitors.ticks({ projectId, monitorId: params.id, ...oneMore(query) }))
      const { items, next_offset } = partOf(query, ticks)
      const runs = await readRunOutcomes(
        projectId,
        items.flatMap(({ runId }) => runId ?? []),
      )
      const runOf = async (tick: TickView) => {
        const run = runs.get(tick.runId ?? 0)
        const uncertainId = run === undefined && tick.runStatus === null ? tick.runId : null
        // While the coordinator is unavailable, the run counts as queued.
        const isDeleted = uncertainId !== null && !(await hasRun(projectId, uncertainId).catch(() => true))
        return monitorRun(tick, { run, isDeleted })
      }
      return { items: await Promise.all(items.map(runOf)), next_offset }
    },
  )
}

function runMonitorRoute(app: App, { monitors, metering }: CronRunPorts): void {
  app.post(
    '/v1/crons/:id/run',
    {
      schema: {
        operationId: 'runMonitor',
        summary: 'Start a crawl of a monitor now',
        tags,
        description:
          'Starts a manual crawl without changing the schedule, even if the monitor is not enabled. The crawl is compared with the previous one and sends webhooks like any other crawl of the monitor. Send an `Idempotency-Key` so that a repeated request starts nothing twice.',
        headers: IdempotencyHeaders,
        params: MonitorParams,
        response: byStatus([app.profile.started, CrawlAccepted]),
      },
    },
    async (request, reply) => {
      const { caller, params, headers } = request
      const idempotencyKey = headers['idempotency-key'] ?? null
      const spent = await spentPages(metering, request, idempotencyKey)
      if (spent !== null && idempotencyKey === null) throw spent
      const { projectId, keyCaps } = caller
      const started = await monitors.run({
        ...{ projectId, monitorId: params.id, idempotencyKey },
        ...(keyCaps && { keyCaps }),
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
