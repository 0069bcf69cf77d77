/** Builds the response schemas of routes whose status depends on the profile of the installation. */
import type { FastifyReply } from 'fastify'
import { type TSchema, Type } from 'typebox'

/** Returns schemas by status. Schemas that share a status become a union. */
export function byStatus<const Answers extends readonly (readonly [status: number, schema: TSchema])[]>(
  ...answers: Answers
): Record<Answers[number][0], Answers[number][1]> {
  const schemas = Map.groupBy(answers, ([status]) => status)
    .entries()
    .map(([status, sharing]) => [status, oneOf(sharing.map(([, schema]) => schema))] as const)
  return Object.fromEntries(schemas) as Record<Answers[number][0], Answers[number][1]>
}

const oneOf = (schemas: TSchema[]): TSchema =>
  schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : Type.Union(schemas)

/** Returns the schema of a deletion's response: none with 204, else this one. */
export const deleted = <Status extends 200 | 204, Schema extends TSchema>(
  status: Status,
  schema: Schema,
  description: string,
) => byStatus([status, status === 204 ? Type.Null({ description }) : schema])

/** Sends the response of a deletion: empty with 204, else this object. */
export const sendDeleted = (reply: FastifyReply, status: 200 | 204, words: object): FastifyReply =>
  reply.code(status).send(status === 204 ? null : words)
