/**
 * `/openapi.json`: generates the OpenAPI 3.1 document from the schemas that validate requests, and completes it with
 * the texts of the reference. It is generated on the first request.
 */
import swagger from '@fastify/swagger'
import { Problem, ProblemDetails } from '@tidemark/contracts/http/problem'
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'
import type { App } from '../app.ts'
import { plain } from '../http/domain/plain-schema.ts'
import { ApiProblem, details } from '../http/domain/problem.ts'
import { type Profile, shownProblem } from '../http/domain/profile.ts'
import { withComponents } from './domain/openapi/components.ts'
import type { Document } from './domain/openapi/document.ts'
import { completed } from './domain/openapi/reference.ts'

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of a project: `tmk_` and 46 more characters.',
  },
} as const

/** Collects the schemas of routes. Call it before any route is added. */
export async function installOpenApi(app: App): Promise<void> {
  const info = { title: 'Tidemark', version: app.profile.version }
  await app.register(swagger, { openapi: { openapi: '3.1.0', info, components: { securitySchemes } } })
}

/** Adds the route of the document, which is not part of the document. */
export function serveOpenApi(app: App): void {
  let text: Promise<string> | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    text ??= documentOf(app).then(JSON.stringify)
    return reply.type('application/json; charset=utf-8').send(await text)
  })
}

/** Returns the document. Modules that only describe the service are loaded here, on first use. */
async function documentOf(app: App) {
  const [{ head }, { headers }, { operationsOf }, { webhookEvents }] = await Promise.all([
    import('../reference/head.ts'),
    import('../reference/headers.ts'),
    import('../reference/operations.ts'),
    import('../webhooks/reference-events.ts'),
  ])
  const operations = operationsOf(app.profile)
  const envelope = envelopesOf(app.profile)
  const made = completed(app.swagger() as unknown as Document, { operations, envelope })
  const spare = [Problem, ProblemDetails].map(plain)
  const { document, schemas } = withComponents({ made, webhooks: webhookEvents, spare })
  const { made: all, webhooks } = document as { made: Document; webhooks: Document['webhooks'] }
  const { components, ...rest } = all
  return {
    ...rest,
    webhooks,
    ...head.document,
    info: { ...head.info, version: app.profile.version },
    components: { ...components, ...head.components, headers, schemas },
  }
}

const requestId = 'd14f099b-2a51-479a-91bd-5653ca4f6f6f'

const envelopesOf = (profile: Profile) => (code: ProblemCode, reason?: Reason) => {
  const problem = new ApiProblem(code, { reason })
  const { status, code: shownCode } = shownProblem(problem, profile)
  const { message } = problem
  return {
    status,
    description: message,
    body: { error: { code: shownCode, message, ...details(problem), request_id: requestId } },
  }
}
