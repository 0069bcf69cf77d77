/** The gateway's self-description: its health, and the reference of its API. */
import type { App } from '../app.ts'
import type { Checks } from './adapters/readiness.ts'
import { docsRoutes } from './docs.ts'
import { healthRoutes } from './health.ts'
import { installOpenApi, serveOpenApi } from './openapi.ts'

type Needs = { ready: () => Promise<Checks>; isStopping: () => boolean }

/** To be called before any other feature: the OpenAPI document lists the routes that follow. */
export async function registerOperations(app: App, needs: Needs): Promise<void> {
  await installOpenApi(app)
  serveOpenApi(app)
  docsRoutes(app)
  healthRoutes(app, needs)
}
