/**
 * `/console/api/v1/…` is the public API with the session of the console as the credential. The path is rewritten before
 * the router sees it, and the session becomes the Authorization header: each call is authenticated, limited, billed and
 * logged like any other.
 */
import type { IncomingMessage } from 'node:http'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { isTokenOf } from './domain/session.ts'
import { foreignWrite, refuseOtherSites, type SessionPorts, sessionReader, tokenHeader } from './session.ts'
import { admitShared } from './shared-reads.ts'

const prefix = '/console/api'
const ofConsole = new WeakSet<IncomingMessage>()
const reads = new Set(['GET', 'HEAD'])
const operatorPaths = '/v1/operator/'

/** Returns the address that the router sees. */
export function rewrittenAddress(request: IncomingMessage): string {
  const url = request.url ?? '/'
  if (!url.startsWith(`${prefix}/v1/`)) return url
  ofConsole.add(request)
  return url.slice(prefix.length)
}

/** Install it before authentication. Calls of the API itself pass it untouched, so their cookies are ignored. */
export function installRelay(
  app: App,
  ports: Omit<SessionPorts, 'checkKey' | 'checkShareAccess' | 'operator'>,
): void {
  const { sessionOf } = sessionReader(ports)
  app.addHook('onRequest', async (request, reply) => {
    if (!ofConsole.has(request.raw)) return
    const { headers, method } = request
    delete headers.authorization
    // A browser must not run an answer of the API as a page of this origin.
    reply.header('content-security-policy', "default-src 'none'; sandbox")
    refuseOtherSites(request)
    const session = sessionOf(request)
    if (session === null)
      throw new ApiProblem('unauthorized', {
        message: 'The session of the console has ended. Sign in again.',
      })
    if (session.share) return admitShared(request, session.share)
    if (session.isOperator && !(reads.has(method) && request.url.startsWith(operatorPaths)))
      throw notOfOperator()
    if (!reads.has(method) && !isTokenOf(session, ports.secrets, headers[tokenHeader])) throw foreignWrite()
    headers.authorization = `Bearer ${session.key}`
  })
}

const notOfOperator = (): ApiProblem =>
  new ApiProblem('unauthorized', {
    status: 403,
    message:
      'The session of an operator reads the state of the installation only. Sign in with the key of a project.',
  })
