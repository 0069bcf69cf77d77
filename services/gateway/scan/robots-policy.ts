/** `GET /v1/robots-policy`: returns the rules of a site for AI bots. */

import { RobotsPolicy, RobotsPolicyQuery } from '@tidemark/contracts/http/robots-policy'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { judgeSeed, type SeedPorts } from '../live-pages/judge-seed.ts'
import type { ReadPolicy } from './adapters/robots-policies.ts'

export type RobotsPolicyPorts = SeedPorts & { robotsPolicy: ReadPolicy }

export function robotsPolicyRoutes(app: App, ports: RobotsPolicyPorts): void {
  app.get(
    '/v1/robots-policy',
    {
      schema: {
        operationId: 'readRobotsPolicy',
        summary: 'Read the rules of a site for AI bots',
        description: `Evaluates robots.txt and llms.txt. Responses of the site are cached for an hour. ${priceText('robots_policy')}`,
        tags: ['Sites'],
        querystring: RobotsPolicyQuery,
        response: { 200: RobotsPolicy },
      },
    },
    async ({ caller: { projectId }, query: { url, user_agent: userAgent } }) => {
      await judgeSeed(ports, url)
      return ports.robotsPolicy({ projectId, url, ...(userAgent !== undefined && { userAgent }) })
    },
  )
}
