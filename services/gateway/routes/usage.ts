/** What the project has used today and this month, beside what it may. */
import type { ReadUsageAnswer } from '@tidemark/contracts/ask/usage'
import { UsageView } from '@tidemark/contracts/http/usage'
import type { App } from '../app.ts'
import { dayOf, usageView } from '../domain/usage.ts'

export type UsagePorts = {
  readUsage: (projectId: number, day: string) => Promise<ReadUsageAnswer>
  now: () => number
}

export function usageRoutes(app: App, { readUsage, now }: UsagePorts): void {
  app.get(
    '/v1/usage',
    {
      schema: {
        operationId: 'getUsage',
        summary: 'Read usage and caps',
        tags: ['Usage'],
        response: { 200: UsageView },
      },
    },
    async ({ caller }) => {
      const at = now()
      return usageView(caller, await readUsage(caller.projectId, dayOf(at)), at)
    },
  )
}
