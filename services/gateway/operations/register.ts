/** Registers the health checks, the directory of the crawler's keys, and the operator's overview. */
import { type Directory, directoryPath } from '@tidemark/http-signatures/web-bot-auth'
import type { CheckKey } from '../access/authentication.ts'
import type { OperatorKey } from '../access/operator-key.ts'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Checks } from './adapters/readiness.ts'
import { healthRoutes } from './health.ts'
import { operatorRoutes } from './operator/operator.ts'
import { type OverviewPorts, openOverview } from './operator/overview.ts'

type Needs = {
  ready: () => Promise<Checks>
  isStopping: () => boolean
  /** Null: the crawler signs no requests. */
  readDirectory: (() => Directory) | null
}

export function registerOperations(app: App, needs: Needs): void {
  keyDirectoryRoute(app, needs)
  healthRoutes(app, needs)
}

/** Adds the well-known address of the keys (Web Bot Auth). It is public, for sites that verify signed requests. */
function keyDirectoryRoute(app: App, { readDirectory }: Pick<Needs, 'readDirectory'>): void {
  app.get(directoryPath, { schema: { hide: true } }, async (_request, reply) => {
    if (readDirectory === null)
      throw new ApiProblem('not_found', {
        message: 'The crawler of this installation does not sign its requests, so it publishes no keys.',
      })
    const { body, fields } = readDirectory()
    return reply.headers(fields).send(body)
  })
}

type OperatorNeeds = OverviewPorts & {
  /** Null: the installation has no operator's key, so the routes do not exist. */
  operator: OperatorKey | null
  checkKey: CheckKey
}

/** Adds the operator's routes. Call it outside the scope that requires the key of a project. */
export async function registerOperator(
  app: App,
  { operator, checkKey, ...ports }: OperatorNeeds,
): Promise<void> {
  if (operator !== null) await operatorRoutes(app, { operator, checkKey, readOverview: openOverview(ports) })
}
