/**
 * Sends every error in the specification's envelope, or as problem details (RFC 9457) if the client prefers them. An
 * unexpected error is a 500 without internal details.
 */
import { STATUS_CODES } from 'node:http'
import type { Problem } from '@tidemark/contracts/http/problem'
import type { ProblemCode } from '@tidemark/contracts/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { prefersProblemDetails } from '../domain/accept.ts'
import { ApiProblem, details } from '../domain/problem.ts'
import { shownProblem } from '../domain/profile.ts'
import { problemOf } from '../requests/problem-of.ts'
import { vary } from '../requests/vary.ts'
import { requestIdHeader } from './request-id.ts'
import { safetyHeaders } from './security.ts'

/** Receives every internal error, with the request's id. */
export type Report = (error: unknown, requestId: string) => void

export function installProblems(app: App, report: Report): void {
  app.setErrorHandler((error, request, reply) =>
    sendProblem(request, reply, reported(error, request, report)),
  )
}

/** Answers errors before any route is found (`frameworkErrors`): an unreadable path is 404. */
export function sendUnreadablePath(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ [requestIdHeader]: request.id, ...safetyHeaders })
  sendProblem(request, reply, new ApiProblem('not_found'))
}

const ofLists = ['content-disposition', 'x-next-offset', 'link']

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: ApiProblem) {
  const isDetails = prefersProblemDetails(request.headers.accept)
  const more = { ...details(problem), request_id: request.id }
  const { status, code } = shownProblem(problem, request.server.profile)
  const { message } = problem
  const body = isDetails
    ? { ...problemDetails(status, message, request.id), code, ...more }
    : { error: { code, message, ...more } }
  // A list that fails before its first line has already set these headers.
  if (reply.hasHeader('content-disposition')) for (const name of ofLists) reply.removeHeader(name)
  return vary(reply, 'Accept')
    .code(status)
    .headers(problem.allHeaders)
    .type(isDetails ? 'application/problem+json' : 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

/** Returns the specification's error envelope. */
export const envelope = (problem: ApiProblem, requestId: string): Problem => ({
  error: { code: problem.code, message: problem.message, ...details(problem), request_id: requestId },
})

/** Uses no problem type of our own, because `code` has the same information (RFC 9457, 4.2.1). */
const problemDetails = (status: number, detail: string, requestId: string) => ({
  type: 'about:blank',
  title: STATUS_CODES[status],
  status,
  detail,
  instance: `urn:uuid:${requestId}`,
})

/** Codes of errors that a site, a request or a missing setting causes, not a fault of the service. */
const others: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['fetch_failed', 'not_configured'])

/** Returns whether a 5xx is not a fault of this service. */
export const isOfOthers = ({ status, code }: ApiProblem): boolean => status >= 500 && others.has(code)

function reported(error: unknown, request: FastifyRequest, report: Report): ApiProblem {
  const problem = problemOf(error)
  if (problem.status >= 500 && !isOfOthers(problem)) report(error, request.id)
  return problem.code === 'payload_too_large' ? tooLarge(request) : problem
}

const tooLarge = ({ routeOptions }: FastifyRequest) =>
  new ApiProblem('payload_too_large', {
    message: `The body exceeds ${routeOptions.bodyLimit} bytes, the limit of this endpoint. Send a smaller one.`,
  })
