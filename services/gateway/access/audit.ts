/** Records every call of a project: answered ones, and those whose client left before. */

import { type ApiCalled, maxPathLength } from '@tidemark/contracts/audit'
import { decodedWord } from '@tidemark/url/escapes'
import type { App } from '../app.ts'
import { whenCallEnds } from '../http/plugins/call-ended.ts'

export type AuditPorts = { noteCall: (call: ApiCalled['data']) => void }

/** Install it after the clients' addresses and after authentication: a call without a key is in no project's log. */
export function installAudit(app: App, { noteCall }: AuditPorts): void {
  whenCallEnds(app, (request, reply, status) => {
    if (request.caller === undefined) return
    const durationMs = Math.round(reply.elapsedTime * 1000) / 1000
    noteCall({
      projectId: request.caller.projectId,
      requestId: request.id,
      at: new Date(Date.now() - durationMs).toISOString(),
      method: request.method,
      path: pathOf(request.url),
      status,
      durationMs,
      clientIp: request.clientIp,
    })
  })
}

/** The path as received; of text in the form of a key only the prefix, by which its owner knows it. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.split('/').map(withoutKeys).join('/').slice(0, maxPathLength)
}

const keys = /(tmk_\w{8})\w+/g

/** An escaped key is still a key. */
function withoutKeys(segment: string): string {
  const plain = decodedWord(segment)
  const kept = plain.replace(keys, '$1')
  return kept === plain ? segment : encodeURIComponent(kept)
}
