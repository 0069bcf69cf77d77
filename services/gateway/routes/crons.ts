/** Monitors: listed, changed and deleted here, created by `POST /v1/crawls` with `cron`. */
import { MonitorChange, MonitorList, MonitorParams, MonitorView } from '@tidemark/contracts/http/crons'
import { Type } from 'typebox'
import type { Monitors } from '../adapters/monitors.ts'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'

export type CronPorts = {
  monitors: Monitors
  /** Throws `ApiProblem` for an address that may not be reached. */
  judgeTarget: (url: string, field?: string) => Promise<void>
}

const tags = ['Monitors']

export function cronRoutes(app: App, { monitors, judgeTarget }: CronPorts): void {
  app.get(
    '/v1/crons',
    {
      schema: {
        operationId: 'listMonitors',
        summary: 'List monitors',
        tags,
        response: { 200: MonitorList },
      },
    },
    async ({ caller }) => ({ items: await monitors.list(caller.projectId) }),
  )

  app.patch(
    '/v1/crons/:id',
    {
      schema: {
        operationId: 'changeMonitor',
        summary: 'Change a monitor',
        tags,
        params: MonitorParams,
        body: MonitorChange,
        response: { 200: MonitorView },
      },
      errorHandler: unprocessable,
    },
    async ({ caller, params, body }) => {
      const { schedule, enabled, webhook_url: webhookUrl } = body
      if (schedule === undefined && enabled === undefined && webhookUrl === undefined) throw nothingToChange()
      if (webhookUrl !== undefined) await judgeTarget(webhookUrl, 'webhook_url')
      const wanted = {
        ...(schedule !== undefined && { schedule }),
        ...(enabled !== undefined && { enabled }),
        ...(webhookUrl !== undefined && { webhookUrl }),
      }
      const changed = await monitors.change({
        projectId: caller.projectId,
        monitorId: params.id,
        ...wanted,
      })
      if (changed === null) throw new ApiProblem('not_found')
      return changed
    },
  )

  app.delete(
    '/v1/crons/:id',
    {
      schema: {
        operationId: 'deleteMonitor',
        summary: 'Delete a monitor',
        tags,
        params: MonitorParams,
        response: { 204: Type.Null({ description: 'It is deleted.' }) },
      },
    },
    async ({ caller, params }, reply) => {
      if (!(await monitors.remove(caller.projectId, params.id))) throw new ApiProblem('not_found')
      return reply.code(204).send(null)
    },
  )
}

const nothingToChange = () =>
  new ApiProblem('invalid_input', {
    message: 'Send at least one of schedule, enabled and webhook_url.',
    reason: 'required',
  })

/** What a change cannot be made of is 422 here (specification, Monitors). */
function unprocessable(error: unknown): never {
  if (!(error instanceof ApiProblem) || error.code !== 'invalid_input') throw error
  const { message, reason, field } = error
  throw new ApiProblem('invalid_input', { status: 422, message, reason, field })
}
