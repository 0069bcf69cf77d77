/** The audit log: one entry per API call. It contains no body, no query and no key. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, Timestamp } from './primitives.ts'

/** Maximum length of a stored path in characters. */
export const maxPathLength = 512

/** Maximum number of recorded 429 responses of a project, gateway and minute. Nothing else limits their number. */
export const maxRefusalsPerMinute = 60

export const ApiCalled = fact('ApiCalled', {
  projectId: Id,
  requestId: Type.String(),
  /** When the request arrived. */
  at: Timestamp,
  method: Type.String(),
  /** Path of the request without the query, which may contain private data. */
  path: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Number(),
  clientIp: Type.String(),
})
export type ApiCalled = Static<typeof ApiCalled>

/** The calls of one project that one gateway served within a short time. */
export const AuditCommit = commitOf(ApiCalled)
export type AuditCommit = Static<typeof AuditCommit>
