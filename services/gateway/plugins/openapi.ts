/** `/openapi.json`: the OpenAPI 3.1 document, made from the very schemas that requests are checked against. */
import swagger from '@fastify/swagger'
import type { App } from '../app.ts'
import { withComponents } from '../domain/components.ts'

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Tidemark', version: '0.5.0', description: 'Web crawl, scan and content extraction.' },
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key of a project.' },
    },
  },
} as const

/** To be called before any route is added. */
export async function installOpenApi(app: App): Promise<void> {
  await app.register(swagger, { openapi })
}

/** The document's own route, which is no part of the document. */
export function serveOpenApi(app: App): void {
  let text: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    text ??= JSON.stringify(documentOf(app))
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

function documentOf(app: App) {
  const { components, ...rest } = app.swagger() as Record<string, unknown>
  const { document, schemas } = withComponents(rest)
  return { ...(document as object), components: { ...(components as object), schemas } }
}
