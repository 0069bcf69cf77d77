/**
 * Signs a reader in and out of the console. Pages of other sites cannot send these requests: they lack the header of the
 * console, which browsers send across origins only with a permission that this gateway never gives. A link to
 * `/console#key=…` only fills in the form of the console, and the reader decides whether to send it.
 */

import { isApiKeyShaped } from '@tidemark/contracts/api-key'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { CheckKey, CheckShareAccess } from '../access/authentication.ts'
import type { OperatorKey } from '../access/operator-key.ts'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import {
  cookieOf,
  endingCookie,
  newSession,
  type Secrets,
  type Session,
  sessionIn,
  tokenOf,
} from './domain/session.ts'

export type SessionPorts = {
  secrets: Secrets
  checkKey: CheckKey
  checkShareAccess: CheckShareAccess
  /** Null: the installation has no operator's key. */
  operator: OperatorKey | null
  /** Returns the public address; only known after listening. */
  publicUrl: () => string
  now: () => number
}

export const tokenHeader = 'x-console-token'
const hidden = { hide: true }
const body = Type.Object({
  key: Type.String({ description: 'An API key of the project, or the key of the operator.' }),
})

export function sessionRoutes(app: App, ports: SessionPorts): void {
  const { secrets, checkKey, checkShareAccess, operator, now } = ports
  const { isSecure, sessionOf } = sessionReader(ports)

  app.get('/console/session', { schema: hidden }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseOtherSites(request)
    const session = sessionOf(request)
    if (session?.isOperator)
      return operator?.isKey(session.key) ? shown(session, ofOperator, secrets) : { signed_in: false }
    const key = session?.share
      ? await checkShareAccess(session.share, request.clientIp)
      : session && (await checkKey(session.key, request.clientIp))
    return session && key ? shown(session, key, secrets) : { signed_in: false }
  })

  app.post('/console/session', { schema: { ...hidden, body } }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseOtherSites(request)
    requireHeader(request)
    const key = request.body.key.trim()
    const isOperator = !isApiKeyShaped(key) && ((await operator?.check(key, request.clientIp)) ?? false)
    const found = isOperator ? ofOperator : await checkKey(key, request.clientIp)
    if (found === null)
      throw new ApiProblem('unauthorized', {
        field: 'key',
        message: 'This is not a valid API key. It may be mistyped, expired or revoked.',
      })
    const session = newSession(key, now(), isOperator)
    reply.header('set-cookie', cookieOf(session, secrets, isSecure(request)))
    return shown(session, found, secrets)
  })

  app.delete('/console/session', { schema: hidden }, async (request, reply) => {
    refuseOtherSites(request)
    // Any value will do: a window that has the token of an earlier session can sign out of the current one.
    requireHeader(request)
    return reply
      .header('set-cookie', endingCookie(isSecure(request)))
      .code(204)
      .send()
  })
}

/** Returns functions that read the session of a request. */
export function sessionReader({
  secrets,
  publicUrl,
  now,
}: Pick<SessionPorts, 'secrets' | 'publicUrl' | 'now'>) {
  const isSecure = ({ protocol }: FastifyRequest): boolean =>
    protocol === 'https' || publicUrl().startsWith('https:')
  return {
    /** Whether the browser reaches the console by HTTPS. */
    isSecure,
    sessionOf: (request: FastifyRequest): Session | null =>
      sessionIn(request.headers.cookie, secrets, isSecure(request), now()),
  }
}

/** Stands for the operator's key, no part of which is shown. */
const ofOperator = { prefix: 'operator', tier: '' }

/** Returns a session for its reader. Readers of a share receive nothing of the key. */
export const shown = (
  session: Session,
  { prefix, tier }: { prefix: string; tier: string },
  secrets: Secrets,
) => ({
  signed_in: true,
  role: session.isOperator ? 'operator' : 'project',
  ...(session.share ? { shared: { run_id: session.share.runId } } : { prefix, tier }),
  token: tokenOf(session, secrets),
  ends_at: new Date(session.until).toISOString(),
})

const fromHere = new Set([undefined, 'same-origin', 'none'])

/** Refuses requests that a page of another origin caused, also of another name of the same site (W3C Fetch Metadata). */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  if (!fromHere.has(headers['sec-fetch-site'] as string | undefined))
    throw new ApiProblem('unauthorized', {
      status: 403,
      message: 'The request comes from a page of another site. Only the console itself may use its session.',
    })
}

/** Refuses requests that a form of any page could send. */
export function requireHeader({ headers }: FastifyRequest): void {
  if (headers[tokenHeader] === undefined)
    throw new ApiProblem('unauthorized', {
      status: 403,
      message: 'A sign-in or sign-out needs the header X-Console-Token. Any value is accepted.',
    })
}

/** The error of a write without the token of its session. */
export const foreignWrite = (): ApiProblem =>
  new ApiProblem('unauthorized', {
    status: 403,
    message:
      'A write of the console needs the header X-Console-Token with the token of GET /console/session. Programs send their key to /v1 instead.',
  })
