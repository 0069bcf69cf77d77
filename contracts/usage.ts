/** Units spent: the truth of the ledger, made from what runs settled and what requests did; it outlives both. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'

export const UnitKind = Type.Union([Type.Literal('page'), Type.Literal('cloud_page')])
export type UnitKind = Static<typeof UnitKind>

/** Why something cost nothing, though it was tried. */
export const WaivedReason = Type.Union([Type.Literal('blocked'), Type.Literal('failed')])
export type WaivedReason = Static<typeof WaivedReason>

/** Why something was billed that was not simply had; left out where it was. */
export const SpentReason = Type.Union([
  Type.Literal('cached'),
  Type.Literal('failed'),
  Type.Literal('blocked'),
])
export type SpentReason = Static<typeof SpentReason>

/** Which one had the page; left out where it was the first. */
const attempt = Type.Optional(Type.Integer({ minimum: 2 }))

/** Of a request that is billed part by part, from the second one on. */
const part = Type.Optional(Type.Integer({ minimum: 2 }))

/** UTC day of the commit that is billed, as YYYY-MM-DD. */
const day = Type.String({ format: 'date' })

export const UnitsSpent = fact('UnitsSpent', {
  projectId: Id,
  runId: Id,
  kind: UnitKind,
  day,
  /** One unit each: the token says what it was for, and can be billed once only. */
  units: Type.Array(Type.Object({ token: Type.String(), pageId: Id, attempt })),
})
export type UnitsSpent = Static<typeof UnitsSpent>

/** Pages of a run that cost nothing: it says why, for whoever reads the bill. */
export const UnitsWaived = fact('UnitsWaived', {
  projectId: Id,
  runId: Id,
  kind: UnitKind,
  day,
  reason: WaivedReason,
  units: Type.Array(Type.Object({ token: Type.String(), pageId: Id, attempt })),
})
export type UnitsWaived = Static<typeof UnitsWaived>

export const ServedUnitsSpent = fact('ServedUnitsSpent', {
  projectId: Id,
  requestId: Type.String(),
  part,
  operation: Type.String(),
  kind: UnitKind,
  day,
  units: Type.Array(
    Type.Object({
      /** `served:<request>:<number>`, or `served:<request>/<part>:<number>`; the numbers of a part go on over all its facts. */
      token: Type.String(),
      /** What it was spent on, mostly a URL. */
      what: Type.String(),
      /** Without it nothing: what backends asked for beside the unit. One unit of a request has it all. */
      costUsd: Type.Optional(Type.Number({ minimum: 0 })),
      reason: Type.Optional(SpentReason),
    }),
  ),
  /** Further facts of this request follow in another commit. */
  more: Type.Optional(Type.Literal(true)),
})
export type ServedUnitsSpent = Static<typeof ServedUnitsSpent>

/** What a request tried and cost nothing. */
export const ServedUnitsWaived = fact('ServedUnitsWaived', {
  projectId: Id,
  requestId: Type.String(),
  part,
  operation: Type.String(),
  kind: UnitKind,
  day,
  units: Type.Array(
    Type.Object({
      /** `waived:<request>:<number>`, or `waived:<request>/<part>:<number>`. */
      token: Type.String(),
      what: Type.String(),
      reason: WaivedReason,
    }),
  ),
})
export type ServedUnitsWaived = Static<typeof ServedUnitsWaived>

export const UsageEvent = Type.Union([UnitsSpent, UnitsWaived, ServedUnitsSpent, ServedUnitsWaived])
export type UsageEvent = Static<typeof UsageEvent>

export const UsageCommit = commitOf(UsageEvent)
export type UsageCommit = Static<typeof UsageCommit>
