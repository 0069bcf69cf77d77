/** Routes for the usage of a project: today and this month with its limits, and by day. */
import { dayMs, dayOf } from '@tidemark/contracts/calendar'
import { UsageHistory, UsageHistoryQuery, UsageView } from '@tidemark/contracts/http/usage'
import type { App } from '../app.ts'
import type { Usage } from '../metering/adapters/usage.ts'
import { usageView } from './domain/usage.ts'

export type UsagePorts = Pick<Usage, 'readCurrentUsage' | 'readUsageHistory'> & { now: () => number }

const tags = ['Usage']

export function usageRoutes(app: App, { readCurrentUsage, readUsageHistory, now }: UsagePorts): void {
  app.get(
    '/v1/usage',
    {
      schema: {
        operationId: 'getUsage',
        summary: 'Read usage and caps',
        tags,
        description: 'Counted per day and month in UTC.',
        response: { 200: UsageView },
      },
    },
    async ({ caller }) => {
      const at = now()
      return usageView(caller, await readCurrentUsage(caller.projectId, dayOf(at)), at)
    },
  )

  app.get(
    '/v1/usage/history',
    {
      schema: {
        operationId: 'getUsageHistory',
        summary: 'Read usage day by day',
        tags,
        description: 'Days without usage have zeros.',
        querystring: UsageHistoryQuery,
        response: { 200: UsageHistory },
      },
    },
    async ({ caller, query }) => {
      const at = now()
      const from = dayOf(at - (query.days - 1) * dayMs)
      const { days } = await readUsageHistory(caller.projectId, from, dayOf(at))
      return {
        days: days.map(({ date, pages, cloudPages, cloudCostUsd }) => ({
          date,
          pages,
          cloud_pages: cloudPages,
          cloud_cost_usd: cloudCostUsd,
        })),
      }
    },
  )
}
