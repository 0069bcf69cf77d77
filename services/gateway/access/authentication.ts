/**
 * Accepts requests with a valid key and sets `request.caller`. Keys are looked up at auth-billing, which owns them, so
 * a key is valid from its creation until its revocation.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { isShareEnded } from '@tidemark/contracts/account'
import { isApiKeyShaped, prefixOf } from '@tidemark/contracts/api-key'
import type { KeyView } from '@tidemark/contracts/rpc/accounts'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { type ShareAccess, shareAccessOf } from '../http/requests/share-access.ts'
import type { FindKeyFor } from './adapters/key-cache.ts'
import { bearerOf, isValidAt } from './domain/key.ts'

export type Caller = Pick<
  KeyView,
  'projectId' | 'tier' | 'unlimited' | 'caps' | 'keyCaps' | 'cloudMode' | 'prefix' | 'proxy'
>

export type AuthenticationPorts = {
  findKey: FindKeyFor
  /** Called with each accepted key and the time in milliseconds since 1970. */
  recordKeyUse: (prefix: string, at: number) => void
  now: () => number
}

type KeyPorts = Pick<AuthenticationPorts, 'findKey' | 'now'>

/** Returns the key if it is valid now, for a client at this address; else null. */
export type CheckKey = (key: string, clientIp: string) => Promise<KeyView | null>

export const keyChecker =
  ({ findKey, now }: KeyPorts): CheckKey =>
  async (key, clientIp) => {
    // A mistyped or invented key causes no look-up, because its checksum is wrong.
    const found = isApiKeyShaped(key) ? await findKey(prefixOf(key), clientIp) : null
    return found !== null && isKey(key, found.hash) && isValidAt(found, now()) ? found : null
  }

/** Returns the key of a share access if the key is valid now, is of the same project, and the share has not ended; else null. */
export type CheckShareAccess = (access: ShareAccess, clientIp: string) => Promise<KeyView | null>

export const shareAccessChecker =
  ({ findKey, now }: KeyPorts): CheckShareAccess =>
  async ({ prefix, projectId, runId, at }, clientIp) => {
    const found = await findKey(prefix, clientIp)
    if (found === null || found.projectId !== projectId || !isValidAt(found, now())) return null
    return isShareEnded(found.sharesEnded, runId, at) ? null : found
  }

/** Returns the key of a request, or of its share, if it is valid now; else null. */
export type CheckCaller = (request: FastifyRequest) => Promise<KeyView | null>

export function callerChecker(ports: KeyPorts): CheckCaller {
  const checkKey = keyChecker(ports)
  const checkShareAccess = shareAccessChecker(ports)
  return async ({ raw, headers, clientIp }) => {
    const shareAccess = shareAccessOf(raw)
    if (shareAccess !== undefined) return checkShareAccess(shareAccess, clientIp)
    const key = bearerOf(headers.authorization)
    return key === null ? null : checkKey(key, clientIp)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Adds the check to every route of this scope. */
export function installAuthentication(app: App, { findKey, recordKeyUse, now }: AuthenticationPorts): void {
  const checkCaller = callerChecker({ findKey, now })
  app.decorateRequest('caller')
  app.addHook('onRoute', route => {
    route.schema = { ...route.schema, security: [{ bearer: [] }] }
  })
  app.addHook('onRequest', async request => {
    const found = await checkCaller(request)
    if (found === null) throw new ApiProblem('unauthorized')
    // A reader of a share does not use the key itself.
    if (shareAccessOf(request.raw) === undefined) recordKeyUse(found.prefix, now())
    request.caller = found
  })
}

const isKey = (key: string, expected: string) =>
  timingSafeEqual(hash('sha256', key, 'buffer'), Buffer.from(expected, 'hex'))
