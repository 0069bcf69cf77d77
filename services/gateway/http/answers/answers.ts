/** What a route may answer, where the profile of the installation decides by which status. */
import type { FastifyReply } from 'fastify'
import { type TSchema, Type } from 'typebox'

/** Schemas by status; those that share one are a choice. */
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

/** The schema of what a deletion says: nothing with 204, else these words. */
export const deleted = <Status extends 200 | 204, Schema extends TSchema>(
  status: Status,
  schema: Schema,
  description: string,
) => byStatus([status, status === 204 ? Type.Null({ description }) : schema])

/** The end of a deletion: without a word, or with these. */
export const sendDeleted = (reply: FastifyReply, status: 200 | 204, words: object): FastifyReply =>
  reply.code(status).send(status === 204 ? null : words)
