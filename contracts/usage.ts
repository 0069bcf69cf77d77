/** Units spent: the truth of the ledger, made from what runs settled and what requests did; it outlives both. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'

export const UnitKind = Type.Union([Type.Literal('page'), Type.Literal('cloud_page')])
export type UnitKind = Static<typeof UnitKind>

/** UTC day of the commit that is billed, as YYYY-MM-DD. */
const day = Type.String({ format: 'date' })

export const UnitsSpent = fact('UnitsSpent', {
  projectId: Id,
  runId: Id,
  kind: UnitKind,
  day,
  /** One unit each: the token says what it was for, and can be billed once only. */
  units: Type.Array(Type.Object({ token: Type.String(), pageId: Id })),
})
export type UnitsSpent = Static<typeof UnitsSpent>

export const ServedUnitsSpent = fact('ServedUnitsSpent', {
  projectId: Id,
  requestId: Type.String(),
  operation: Type.String(),
  kind: UnitKind,
  day,
  units: Type.Array(
    Type.Object({
      /** `served:<request>:<number>`; the numbers of a request go on over all its facts. */
      token: Type.String(),
      /** What it was spent on, mostly a URL. */
      what: Type.String(),
      /** Without it nothing: what backends asked for beside the unit. One unit of a request has it all. */
      costUsd: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  /** Further facts of this request follow in another commit. */
  more: Type.Optional(Type.Literal(true)),
})
export type ServedUnitsSpent = Static<typeof ServedUnitsSpent>

export const UsageEvent = Type.Union([UnitsSpent, ServedUnitsSpent])
export type UsageEvent = Static<typeof UsageEvent>

export const UsageCommit = commitOf(UsageEvent)
export type UsageCommit = Static<typeof UsageCommit>
