/** Notes every call of a project that was answered, in whatever way. */
import { type ApiCalled, longestPath } from '@tidemark/contracts/audit'
import type { App } from '../app.ts'

export type AuditPorts = { noteCall: (call: ApiCalled['data']) => void }

/** To be installed after authentication: a call without a key belongs to nobody's log. */
export function installAudit(app: App, { noteCall }: AuditPorts): void {
  app.addHook('onResponse', async (request, reply) => {
    if (request.caller === undefined) return
    const durationMs = Math.round(reply.elapsedTime * 1000) / 1000
    noteCall({
      projectId: request.caller.projectId,
      requestId: request.id,
      at: new Date(Date.now() - durationMs).toISOString(),
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      durationMs,
      clientIp: request.ip,
    })
  })
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.slice(0, longestPath)
}
