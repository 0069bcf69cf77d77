/** Registers the OpenAPI document, the API reference for browsers, and the documentation as Markdown. */
import type { App } from '../app.ts'
import { docsRoutes } from './docs.ts'
import { installOpenApi, serveOpenApi } from './openapi.ts'
import { ownDocumentRoutes } from './own-documents.ts'

/**
 * Adds the routes. Call it before any other feature, because the OpenAPI document lists only the routes that follow.
 */
export async function registerReferencePages(app: App): Promise<void> {
  await installOpenApi(app)
  serveOpenApi(app)
  docsRoutes(app)
  ownDocumentRoutes(app)
}
