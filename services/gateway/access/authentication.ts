/**
 * Accepts requests with a valid key and sets `request.caller`. Keys are looked up at auth-billing, which owns them, so
 * a key is valid from its creation until its revocation.
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
  /** Called with each accepted key and the time in milliseconds since 1970. */
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
