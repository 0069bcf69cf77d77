/** Adds a request header on which the answer depends to Vary (RFC 9110, 12.5.5). */
import type { FastifyReply } from 'fastify'

export function vary(reply: FastifyReply, field: string): FastifyReply {
  const before = reply.getHeader('vary')
  const fields = before === undefined ? [] : String(before).split(/\s*,\s*/)
  const isListed = fields.some(name => name === '*' || name.toLowerCase() === field.toLowerCase())
  return isListed ? reply : reply.header('vary', [...fields, field].join(', '))
}
