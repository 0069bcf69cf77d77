/**
 * Limits the requests of a shared session: reads of its run, without the settings of the crawl. Every other route is
 * 404, as if it did not exist, and every write is 403.
 */
import type { IncomingMessage } from 'node:http'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { grantShareAccess } from '../http/requests/share-access.ts'
import { mayRead, type Share, withoutSettings } from './domain/share.ts'

const shares = new WeakMap<IncomingMessage, Share>()

/** Lets a read of a shared session pass authentication. Throws `ApiProblem` for a write. */
export function admitShared({ raw, method }: FastifyRequest, share: Share): void {
  if (method !== 'GET') throw readOnly()
  shares.set(raw, share)
  grantShareAccess(raw, share)
}

export type SharedReadPorts = {
  findRun: (projectId: number, runId: number) => Promise<Pick<RunView, 'previous_run_id'> | null>
  /** Returns the run of a page of the project, or null. */
  runOfPage: (projectId: number, pageId: number) => Promise<number | null>
}

/** Adds the limits to every route of this scope. */
export function limitSharedReads(app: App, { findRun, runOfPage }: SharedReadPorts): void {
  app.addHook('preHandler', async ({ raw, routeOptions, params, query }) => {
    const share = shares.get(raw)
    if (share === undefined) return
    const { projectId, runId } = share
    const isOfRun = await mayRead(
      runId,
      { route: routeOptions.url, params, query },
      {
        runOfPage: pageId => runOfPage(projectId, pageId),
        previousRun: async () => (await findRun(projectId, runId))?.previous_run_id ?? null,
      },
    )
    if (!isOfRun) throw new ApiProblem('not_found', { message: 'The share has no such resource.' })
  })

  app.addHook('preSerialization', async ({ raw }, _, answer) =>
    shares.has(raw) && typeof answer === 'object' && answer !== null ? withoutSettings(answer) : answer,
  )

  app.addHook('onSend', async ({ raw }, reply) => {
    if (!shares.has(raw)) return
    // Readers of a share must not see the remaining pages of the project.
    reply.removeHeader('ratelimit')
    reply.removeHeader('ratelimit-policy')
    reply.header('cache-control', 'no-store')
  })
}

const readOnly = (): ApiProblem =>
  new ApiProblem('unauthorized', {
    status: 403,
    message: 'This crawl is shared for reading only. Sign in with a key of the project to change it.',
  })
