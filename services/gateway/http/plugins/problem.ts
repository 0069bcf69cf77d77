/**
 * Whatever goes wrong is answered in the specification's envelope, or as problem details (RFC 9457) where
 * the client asks for them. What nobody foresaw is a 500 that says nothing of the inside.
 */
import { STATUS_CODES } from 'node:http'
import type { Problem } from '@tidemark/contracts/http/problem'
import type { ProblemCode } from '@tidemark/contracts/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { prefersProblemDetails } from '../domain/accept.ts'
import { ApiProblem, details } from '../domain/problem.ts'
import { spoken } from '../domain/profile.ts'
import { problemOf } from './problem-of.ts'
import { requestIdHeader } from './request-id.ts'
import { safetyHeaders } from './security.ts'
import { vary } from './vary.ts'

/** Told of every error that is ours, with the request's id. */
export type Report = (error: unknown, requestId: string) => void

export function installProblems(app: App, report: Report): void {
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, told(error, request, report)))
}

/** For what fails before any route is found (`frameworkErrors`): a path that cannot be read names nothing. */
export function sendUnreadablePath(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ [requestIdHeader]: request.id, ...safetyHeaders })
  sendProblem(request, reply, new ApiProblem('not_found'))
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: ApiProblem) {
  const isDetails = prefersProblemDetails(request.headers.accept)
  const told = { ...details(problem), request_id: request.id }
  const { status, code } = spoken(problem, request.server.profile)
  const { message } = problem
  const body = isDetails
    ? { ...problemDetails(status, message, request.id), code, ...told }
    : { error: { code, message, ...told } }
  return vary(reply, 'Accept')
    .code(status)
    .headers(problem.allHeaders)
    .type(isDetails ? 'application/problem+json' : 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

/** The body of the specification's error envelope. */
export const envelope = (problem: ApiProblem, requestId: string): Problem => ({
  error: { code: problem.code, message: problem.message, ...details(problem), request_id: requestId },
})

/** Nothing is to be read at a type of ours that `code` does not say, so there is none (RFC 9457, 4.2.1). */
const problemDetails = (status: number, detail: string, requestId: string) => ({
  type: 'about:blank',
  title: STATUS_CODES[status],
  status,
  detail,
  instance: `urn:uuid:${requestId}`,
})

/** Of these a site or a request is the cause, and nothing here is broken. */
const others: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['fetch_failed', 'not_configured'])

/** Whether it is a 5xx that nothing here is the cause of. */
export const isOfOthers = ({ status, code }: ApiProblem): boolean => status >= 500 && others.has(code)

function told(error: unknown, request: FastifyRequest, report: Report): ApiProblem {
  const problem = problemOf(error)
  if (problem.status >= 500 && !isOfOthers(problem)) report(error, request.id)
  return problem
}
