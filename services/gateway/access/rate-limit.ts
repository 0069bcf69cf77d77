/**
 * Enforces each tier's request rate per project, and reports the remaining requests in every response. It runs after
 * authentication. The keys of an unlimited project have no request rate: only its remaining pages are reported, if it
 * has a cap of pages. Readers of its shares have a request rate, because every person with the address can be a reader.
 */
import { limitsOf } from '@tidemark/contracts/limits'
import { tiers, tokensPerRead } from '@tidemark/contracts/tiers'
import type { TakeTokens } from '@tidemark/redis/rates'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import { holderOf, shareAccessOf } from '../http/requests/share-access.ts'
import type { PagesOfDay } from './adapters/pages-left.ts'
import { type RequestsLeft, rateFields } from './domain/rate-fields.ts'

export type RateLimitPorts = {
  takeTokens: TakeTokens
  pagesLeft: Pick<PagesOfDay, 'read'>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The remaining requests after this request; null: the client has no request rate. */
    requestsLeft: RequestsLeft | null
  }
}

const reads = new Set(['GET', 'HEAD'])

export function installRateLimit(app: App, { takeTokens, pagesLeft }: RateLimitPorts): void {
  app.decorateRequest('requestsLeft', null)
  app.addHook('onRequest', async (request, reply) => {
    const { caller, method } = request
    const { requests } = tiers[caller.tier]
    const holder = `${holderOf(caller.projectId, request.raw)}`
    const isFree = caller.unlimited && shareAccessOf(request.raw) === undefined
    const [taken, pages] = await Promise.all([
      isFree ? null : takeTokens(holder, requests, reads.has(method) ? tokensPerRead : 1),
      pagesLeft.read(caller),
    ])
    if (taken !== null) {
      const resetMs = taken.allowed ? taken.fullInMs : taken.waitMs
      request.requestsLeft = { ...requests, remaining: taken.remaining, resetMs }
    }
    reply.headers(rateFields(request.requestsLeft, pages))
    if (taken === null || taken.allowed) return
    throw new ApiProblem('too_many_requests', {
      reason: 'request_rate',
      message: `This project may make ${requests.perSecond} requests a second, ${requests.burst} at once. Wait for Retry-After.`,
      retryAfterSeconds: Math.max(1, Math.ceil(taken.waitMs / 1000)),
    })
  })

  // The pages that this request has billed reduce its remaining pages. A refusal already has its own numbers.
  app.addHook('onSend', async ({ caller, requestsLeft }, reply) => {
    if (reply.statusCode === 429 || !reply.hasHeader('ratelimit')) return
    const pages = await pagesLeft.read(caller)
    if (pages !== null) reply.headers(rateFields(requestsLeft, pages))
  })

  // A project that is refused for lack of pages must not see an older figure.
  app.addHook('onError', async ({ caller, requestsLeft }, reply, error) => {
    const { reason, retryAfterSeconds } = problemOf(error)
    if (reason !== 'daily_pages' || retryAfterSeconds === undefined) return
    const { pagesPerDay: cap } = limitsOf(caller)
    if (cap === null) return
    reply.headers(rateFields(requestsLeft, { cap, remaining: 0, resetSeconds: retryAfterSeconds }))
  })
}
