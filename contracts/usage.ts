/** Units spent: the truth of the ledger, made from what runs settled, and kept when a run is deleted. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'

export const UsageEvent = fact('UnitsSpent', {
  projectId: Id,
  runId: Id,
  kind: Type.Union([Type.Literal('page'), Type.Literal('cloud_page')]),
  /** UTC day of the settled event, as YYYY-MM-DD. */
  day: Type.String({ format: 'date' }),
  /** One unit each: the token says what it was for, and can be billed once only. */
  units: Type.Array(Type.Object({ token: Type.String(), pageId: Id })),
})
export type UsageEvent = Static<typeof UsageEvent>

export const UsageCommit = commitOf(UsageEvent)
export type UsageCommit = Static<typeof UsageCommit>
