/**
 * Accepts requests with a valid key, as `request.caller`. Keys are looked up at their owner, so a key works from the
 * moment of its creation until the moment of its revocation.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { prefixOf } from '@tidemark/contracts/api-key'
import type { KeyView } from '@tidemark/contracts/rpc/accounts'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { FindKeyFor } from './adapters/key-memory.ts'
import { isValidAt, keyOf } from './domain/key.ts'

export type Caller = Pick<
  KeyView,
  'projectId' | 'tier' | 'unlimited' | 'caps' | 'keyCaps' | 'cloudMode' | 'prefix' | 'proxy'
>

export type AuthenticationPorts = {
  findKey: FindKeyFor
  /** Called with each key that was accepted, and the time (epoch milliseconds). */
  noteKeyUse: (prefix: string, at: number) => void
  now: () => number
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Adds the check to every route of this scope. */
export function installAuthentication(app: App, { findKey, noteKeyUse, now }: AuthenticationPorts): void {
  app.decorateRequest('caller')
  app.addHook('onRoute', route => {
    route.schema = { ...route.schema, security: [{ bearer: [] }] }
  })
  app.addHook('onRequest', async request => {
    const key = keyOf(request.headers.authorization)
    const found = key === null ? null : await findKey(prefixOf(key), request.clientIp)
    const at = now()
    if (key === null || found === null || !isKey(key, found.hash) || !isValidAt(found, at)) {
      throw new ApiProblem('unauthorized')
    }
    noteKeyUse(found.prefix, at)
    request.caller = found
  })
}

const isKey = (key: string, expected: string) =>
  timingSafeEqual(hash('sha256', key, 'buffer'), Buffer.from(expected, 'hex'))
