/** Who called the API, and what came of it: one entry a call. No body, no query, no key ever stands here. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, Timestamp } from './primitives.ts'

/** Characters of a path that are kept. */
export const longestPath = 2_048

export const ApiCalled = fact('ApiCalled', {
  projectId: Id,
  requestId: Type.String(),
  /** When the request arrived. */
  at: Timestamp,
  method: Type.String(),
  /** Without the query, which may hold what is nobody's business. */
  path: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Number(),
  clientIp: Type.String(),
})
export type ApiCalled = Static<typeof ApiCalled>

/** What one gateway answered for one project within a moment. */
export const AuditCommit = commitOf(ApiCalled)
export type AuditCommit = Static<typeof AuditCommit>
