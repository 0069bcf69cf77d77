/**
 * Records every call of a project, even if its client disconnected before the response. Of the 429 responses of a project it
 * records the first sixty of each minute, so that a client that ignores them cannot fill the log.
 */

import { type ApiCalled, maxPathLength, maxRefusalsPerMinute } from '@tidemark/contracts/audit'
import { decodedWord } from '@tidemark/url/escapes'
import type { App } from '../app.ts'
import { whenCallEnds } from '../http/plugins/call-ended.ts'

export type AuditPorts = { noteCall: (call: ApiCalled['data']) => void }

/**
 * Records calls. Install it after the plugin for client addresses and after authentication, because a call without a
 * key belongs to no project.
 */
export function installAudit(app: App, { noteCall }: AuditPorts): void {
  const mayRecord = refusalsOfMinute()
  whenCallEnds(app, (request, reply, status) => {
    if (request.caller === undefined) return
    if (status === tooManyRequests && !mayRecord(request.caller.projectId)) return
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

const tooManyRequests = 429
const minuteMs = 60_000

/** Returns a function that counts a refusal, and returns whether it is one of the first of its minute. */
function refusalsOfMinute(): (projectId: number) => boolean {
  const counts = new Map<number, number>()
  let endsAt = 0
  return projectId => {
    const now = performance.now()
    if (now >= endsAt) {
      counts.clear()
      endsAt = now + minuteMs
    }
    const count = (counts.get(projectId) ?? 0) + 1
    counts.set(projectId, count)
    return count <= maxRefusalsPerMinute
  }
}

/** Returns the path as received. API keys in it are cut to their prefix, by which the owner recognises them. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.split('/').map(withoutKeys).join('/').slice(0, maxPathLength)
}

const keys = /(tmk_\w{8})\w+/g

/** Cuts keys in a path segment, also percent-encoded ones. */
function withoutKeys(segment: string): string {
  const plain = decodedWord(segment)
  const kept = plain.replace(keys, '$1')
  return kept === plain ? segment : encodeURIComponent(kept)
}
