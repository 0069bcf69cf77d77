/** `GET /v1/cloud/balance` and `GET /v1/health/cloud`: return the configured backends and their cost. */
import { dayMs, dayOf } from '@tidemark/contracts/calendar'
import { CloudBalance, CloudHealth } from '@tidemark/contracts/http/cloud/state'
import type { App } from '../app.ts'
import { balanceView, healthView } from './domain/state-views.ts'
import type { CloudPorts } from './ports.ts'

export function cloudStateRoutes(app: App, { cloud, readCurrentUsage, now }: CloudPorts): void {
  app.get(
    '/v1/cloud/balance',
    {
      schema: {
        operationId: 'getCloudBalance',
        summary: 'Read the vendor balance',
        description: 'The balance of the installation, not of the project. Nothing is billed.',
        tags: ['Cloud'],
        response: { 200: CloudBalance },
      },
    },
    async () => balanceView(await cloud.state()),
  )

  app.get(
    '/v1/health/cloud',
    {
      schema: {
        operationId: 'getCloudHealth',
        summary: 'Read the available backends and their cost',
        description: 'Covers the last 24 hours of the project, up to now. Nothing is billed.',
        tags: ['Cloud'],
        response: { 200: CloudHealth },
      },
    },
    async ({ caller: { projectId } }) => {
      const at = now()
      const [state, usage] = await Promise.all([
        cloud.state(),
        readCurrentUsage(projectId, dayOf(at), at - dayMs),
      ])
      return healthView(state, usage.recent)
    },
  )
}
