/** Notes every call of a project: that was answered, in whatever way, or whose client left before. */
import { type ApiCalled, longestPath } from '@tidemark/contracts/audit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'

export type AuditPorts = { noteCall: (call: ApiCalled['data']) => void }

/** What proxies write of a call to which no answer was begun before its client left. No status of HTTP. */
const clientLeft = 499

/** To be installed after authentication: a call without a key belongs to nobody's log. */
export function installAudit(app: App, { noteCall }: AuditPorts): void {
  const noted = new WeakSet<FastifyRequest>()

  // Of a connection that ends early nobody else tells: there will be no response.
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => note(request, reply, reply.raw.headersSent ? reply.statusCode : clientLeft))
  })
  app.addHook('onResponse', async (request, reply) => note(request, reply, reply.statusCode))

  function note(request: FastifyRequest, reply: FastifyReply, status: number): void {
    if (request.caller === undefined || noted.has(request)) return
    noted.add(request)
    const durationMs = Math.round(reply.elapsedTime * 1000) / 1000
    noteCall({
      projectId: request.caller.projectId,
      requestId: request.id,
      at: new Date(Date.now() - durationMs).toISOString(),
      method: request.method,
      path: pathOf(request.url),
      status,
      durationMs,
      clientIp: request.ip,
    })
  }
}

/** The path as it came, but of what looks like a key only the prefix by which its owner knows it. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.split('/').map(withoutKeys).join('/').slice(0, longestPath)
}

const keys = /(tmk_\w{8})\w+/g

/** Whoever escapes a key sends it all the same. */
function withoutKeys(segment: string): string {
  const plain = decoded(segment)
  const kept = plain.replace(keys, '$1')
  return kept === plain ? segment : encodeURIComponent(kept)
}

/** As it is, where its escapes are none: such a path names nothing. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
