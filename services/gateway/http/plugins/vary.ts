/** Tells caches what of a request an answer depends on (RFC 9110, 12.5.5), beside what was told of it before. */
import type { FastifyReply } from 'fastify'

export function vary(reply: FastifyReply, field: string): FastifyReply {
  const told = reply.getHeader('vary')
  const fields = told === undefined ? [] : String(told).split(/\s*,\s*/)
  const isTold = fields.some(name => name === '*' || name.toLowerCase() === field.toLowerCase())
  return isTold ? reply : reply.header('vary', [...fields, field].join(', '))
}
