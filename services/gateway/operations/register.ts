/** Registers the health checks, the reference of the API, and the operator's overview. */
import type { CheckKey } from '../access/authentication.ts'
import type { OperatorKey } from '../access/operator-key.ts'
import type { App } from '../app.ts'
import type { Checks } from './adapters/readiness.ts'
import { docsRoutes } from './docs.ts'
import { healthRoutes } from './health.ts'
import { installOpenApi, serveOpenApi } from './openapi.ts'
import { operatorRoutes } from './operator/operator.ts'
import { type OverviewPorts, openOverview } from './operator/overview.ts'
import { ownDocumentRoutes } from './own-documents.ts'

type Needs = { ready: () => Promise<Checks>; isStopping: () => boolean }

/**
 * Adds the routes. Call it before any other feature, because the OpenAPI document lists only the routes that follow.
 */
export async function registerOperations(app: App, needs: Needs): Promise<void> {
  await installOpenApi(app)
  serveOpenApi(app)
  docsRoutes(app)
  ownDocumentRoutes(app)
  healthRoutes(app, needs)
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
