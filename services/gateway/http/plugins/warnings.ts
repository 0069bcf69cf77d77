/**
 * `request.warnings`: the ignored parts of a query or a body. Routes may add warnings. Every answer except 401 has them
 * in the header `X-Warnings`, and in `warnings` of its body if its schema has that field. `request.sentFields`: the
 * names of the fields that the client sent, before defaults are filled in.
 */
import { isObject } from '@tidemark/schema/bounds'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import type { ObjectSchema } from '../domain/input.ts'
import { unknownFieldWarnings, unknownQueryWarnings } from '../domain/unknown-fields.ts'
import { warningsHeader } from '../domain/warnings-header.ts'

declare module 'fastify' {
  interface FastifyRequest {
    warnings: string[]
    sentFields: ReadonlySet<string>
  }
}

type Schemas = { body?: ObjectSchema; querystring?: ObjectSchema; response?: Record<string, AnswerSchema> }
type AnswerSchema = { properties?: Record<string, unknown>; anyOf?: AnswerSchema[] }

const none: string[] = []
const nothing: ReadonlySet<string> = new Set()

/** Call it before any route is added. */
export function installWarnings(app: App): void {
  // Requests that are refused before their body is read have no warnings.
  app.decorateRequest('warnings', { getter: () => none })
  app.decorateRequest('sentFields', { getter: () => nothing })
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.is404) note(request)
    done()
  })
  app.addHook('preSerialization', (request, reply, answer, done) =>
    done(null, completed(request, reply, answer)),
  )
  app.addHook('onSend', ({ warnings }, reply, payload, done) => {
    // A key that ended during the request gets the same answer as an unknown key, which has no warnings.
    if (warnings.length > 0 && reply.statusCode !== 401) reply.header('x-warnings', warningsHeader(warnings))
    done(null, payload)
  })
}

/** Removes the warnings of fields that the route refuses, because a refused field is not ignored. */
export function refuseFields(request: FastifyRequest, fields: readonly string[]): void {
  const { body } = request
  const others = isObject(body) ? Object.entries(body).filter(([name]) => !fields.includes(name)) : []
  noteUnknown(request, Object.fromEntries(others))
}

function note(request: FastifyRequest): void {
  const { body } = request
  noteUnknown(request, body)
  if (hasFields(request)) {
    const sentFields = new Set(isObject(body) ? Object.keys(body) : [])
    Object.defineProperty(request, 'sentFields', { value: sentFields })
  }
}

function noteUnknown(request: FastifyRequest, body: unknown): void {
  const schemas = schemasOf(request)
  const ofBody = hasFields(request) && schemas.body ? unknownFieldWarnings(schemas.body, body) : []
  const warnings = [...unknownQueryWarnings(schemas.querystring, request.query), ...ofBody]
  Object.defineProperty(request, 'warnings', { value: warnings, configurable: true })
}

/** Returns whether the request may have fields. A raw body is validated by its route. */
const hasFields = (request: FastifyRequest): boolean =>
  schemasOf(request).body !== undefined && !Buffer.isBuffer(request.body)

/**
 * Adds the warnings of the request to the warnings of the answer, without duplicates. The header also has all of them.
 */
function completed(request: FastifyRequest, reply: FastifyReply, answer: unknown): unknown {
  const schema = schemasOf(request).response?.[reply.statusCode]
  if (!isObject(answer) || schema === undefined || !hasWarnings(schema)) return answer
  const own = Array.isArray(answer.warnings) ? answer.warnings : []
  if (own.length === 0 && request.warnings.length === 0) return answer
  const warnings = [...new Set([...request.warnings, ...own])]
  Object.defineProperty(request, 'warnings', { value: warnings })
  return { ...answer, warnings }
}

const schemasOf = ({ routeOptions }: FastifyRequest): Schemas => (routeOptions.schema ?? {}) as Schemas

const hasWarnings = ({ properties = {}, anyOf = [] }: AnswerSchema): boolean =>
  'warnings' in properties || anyOf.some(hasWarnings)
