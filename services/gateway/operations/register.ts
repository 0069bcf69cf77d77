/** Registers the health checks, and the reference of the API. */
import type { App } from '../app.ts'
import type { Checks } from './adapters/readiness.ts'
import { docsRoutes } from './docs.ts'
import { healthRoutes } from './health.ts'
import { installOpenApi, serveOpenApi } from './openapi.ts'
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
