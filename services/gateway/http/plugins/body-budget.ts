/**
 * Limits the memory of arriving bodies, which are held until they are complete. Small ones are limited only by the number
 * of connections. The large ones of all clients share a limit, and a client that exceeds it must retry later.
 */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { TextBudget } from '../domain/text-budget.ts'
import { onResponseEnd } from '../requests/on-response-end.ts'

/** Maximum size of a body that is not counted. */
export const smallBody = 16 * 1024
const usual = { each: 64 * 1024 ** 2, perOwner: 64 * 1024 ** 2, all: 128 * 1024 ** 2 }
/** Clients without a key share the limit of one project. */
const withoutKey = 0
const retryAfterSeconds = 5

export function installBodyBudget(app: App, budget = new TextBudget(usual)): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const bytes = bytesOf(request)
    if (bytes <= smallBody) return done()
    const share = budget.open(request.caller?.projectId ?? withoutKey)
    if (!share.take(bytes)) return done(overBudget)
    onResponseEnd(reply.raw, () => share[Symbol.dispose]())
    done()
  })
}

/** Returns the size of the body in bytes. A body without a declared length counts with the limit of its route. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const maxBytes = routeOptions.bodyLimit
  if (headers['transfer-encoding'] !== undefined) return maxBytes
  return Math.min(Number(headers['content-length'] ?? 0), maxBytes)
}

const overBudget = new ApiProblem('unavailable', {
  message: 'Too many large bodies are arriving at once. Send it again shortly.',
  retryAfterSeconds,
  headers: { connection: 'close' },
})
