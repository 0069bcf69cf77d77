/** Routes that list, read, change and delete monitors. `POST /v1/crawls` with `cron` creates them. */
import {
  DeletedMonitor,
  MonitorChange,
  MonitorList,
  MonitorParams,
  MonitorView,
} from '@tidemark/contracts/http/crons'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { eventsOf, onlyFailures } from '../http/domain/webhook-events.ts'
import { deleted, sendDeleted } from '../http/responses/answers.ts'
import { unprocessable } from '../http/responses/unprocessable.ts'
import type { Models } from '../live-pages/adapters/models.ts'
import { assertIntent } from '../live-pages/assert-model.ts'
import type { Monitors } from './adapters/monitors.ts'

export type CronPorts = {
  monitors: Monitors
  models: Pick<Models, 'offer' | 'consent'>
  /** Throws `ApiProblem` for an address that must not be requested. */
  judgeTarget: (url: string, field?: string) => Promise<void>
}

const tags = ['Monitors']

export function cronRoutes(app: App, ports: CronPorts): void {
  listMonitorsRoute(app, ports)
  getMonitorRoute(app, ports)
  changeMonitorRoute(app, ports)
  deleteMonitorRoute(app, ports)
}

function listMonitorsRoute(app: App, { monitors }: CronPorts): void {
  app.get(
    '/v1/crons',
    {
      schema: {
        operationId: 'listMonitors',
        summary: 'List monitors',
        tags,
        description: '`POST /v1/crawls` with `cron` creates a monitor.',
        response: { 200: MonitorList },
      },
    },
    async ({ caller }) => ({ items: await monitors.list(caller.projectId) }),
  )
}

function getMonitorRoute(app: App, { monitors }: CronPorts): void {
  app.get(
    '/v1/crons/:id',
    {
      schema: {
        operationId: 'getMonitor',
        summary: 'Read a monitor',
        tags,
        description:
          'Includes the outcome of its last crawl and the number of consecutive failures. `/v1/crons/{id}/runs` lists each of them.',
        params: MonitorParams,
        response: { 200: MonitorView },
      },
    },
    async ({ caller, params }) => {
      return found(await monitors.find(caller.projectId, params.id))
    },
  )
}

function changeMonitorRoute(app: App, { monitors, models, judgeTarget }: CronPorts): void {
  app.patch(
    '/v1/crons/:id',
    {
      schema: {
        operationId: 'changeMonitor',
        summary: 'Change a monitor',
        tags,
        description: 'Send at least one field. Fields that are not sent keep their values.',
        params: MonitorParams,
        body: MonitorChange,
        response: { 200: MonitorView },
      },
      errorHandler: unprocessable,
    },
    async ({ caller, params, body, warnings }) => {
      const { schedule, timezone, enabled, webhook_url: webhookUrl } = body
      const { webhook_events: events, return_only_changed: onlyChanged } = body
      const { intent, only_matching: onlyMatching } = body
      const wanted = {
        ...(schedule !== undefined && { schedule }),
        ...(timezone !== undefined && { timezone }),
        ...(enabled !== undefined && { enabled }),
        ...(webhookUrl !== undefined && { webhookUrl }),
        ...(events !== undefined && { webhookEvents: eventsOf(events) }),
        ...(onlyChanged !== undefined && { onlyChanged }),
        ...(intent !== undefined && { intent }),
        ...(onlyMatching !== undefined && { onlyMatching }),
      }
      if (Object.keys(wanted).length === 0) throw nothingToChange()
      if (webhookUrl != null) await judgeTarget(webhookUrl, 'webhook_url')
      if (intent != null) await assertIntent(models, caller.projectId)
      const { projectId, keyCaps } = caller
      const target = { projectId, monitorId: params.id, ...(keyCaps && { keyCaps }) }
      const changed = found(await monitors.change({ ...target, ...wanted }))
      if (events?.length === 0) warnings.push(onlyFailures)
      return changed
    },
  )
}

function deleteMonitorRoute(app: App, { monitors }: CronPorts): void {
  app.delete(
    '/v1/crons/:id',
    {
      schema: {
        operationId: 'deleteMonitor',
        summary: 'Delete a monitor',
        tags,
        description: 'The monitor starts no more crawls. Crawls that it has started continue and are kept.',
        params: MonitorParams,
        response: deleted(app.profile.monitorDeleted, DeletedMonitor, 'It is deleted.'),
      },
    },
    async ({ caller, params }, reply) => {
      if (!(await monitors.remove(caller.projectId, params.id))) throw new ApiProblem('not_found')
      return sendDeleted(reply, app.profile.monitorDeleted, { deleted: true, id: params.id })
    },
  )
}

const nothingToChange = () =>
  new ApiProblem('invalid_input', {
    message:
      'Send at least one of schedule, timezone, enabled, webhook_url, webhook_events, return_only_changed, intent and only_matching.',
    reason: 'required',
  })
