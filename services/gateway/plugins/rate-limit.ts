/**
 * Keeps each project to its tier's rate of requests, and tells every answer what is left. It is asked after
 * authentication; an unlimited project has no rate and is told of none.
 */
import type { Terms } from '@tidemark/contracts/limits'
import { tiers, turnsOfRead } from '@tidemark/contracts/tiers'
import type { TakeTurn } from '@tidemark/redis/rates'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { type PagesLeft, rateFields } from '../domain/rate-fields.ts'

export type RateLimitPorts = {
  takeTurn: TakeTurn
  /** Pages that are left today; null where there is no cap, or nobody can tell now. */
  pagesLeft: (project: Terms & { projectId: number }) => Promise<PagesLeft | null>
}

const reads = new Set(['GET', 'HEAD'])

export function installRateLimit(app: App, { takeTurn, pagesLeft }: RateLimitPorts): void {
  app.addHook('onRequest', async ({ caller, method }, reply) => {
    if (caller.unlimited) return
    const { requests } = tiers[caller.tier]
    const [turn, pages] = await Promise.all([
      takeTurn(String(caller.projectId), requests, reads.has(method) ? turnsOfRead : 1),
      pagesLeft(caller),
    ])
    reply.headers(rateFields({ ...requests, ...turn }, pages))
    if (turn.allowed) return
    throw new ApiProblem('too_many_requests', {
      reason: 'request_rate',
      message: `This project may make ${requests.perSecond} requests a second, ${requests.burst} at once.`,
      retryAfterSeconds: Math.max(1, Math.ceil(turn.waitMs / 1000)),
    })
  })
}
