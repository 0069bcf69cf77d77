/** Events of the ledger: the billed and the free units of runs and of requests. They outlive both. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, oneOf } from './primitives.ts'

export const UnitKind = oneOf(['page', 'cloud_page'])
export type UnitKind = Static<typeof UnitKind>

/** The kinds of rows in the ledger. Calls of a language model have a daily cap of their own. */
export const LedgerKind = Type.Union([...UnitKind.anyOf, Type.Literal('model_call')])
export type LedgerKind = Static<typeof LedgerKind>

/** Reason why an attempt cost nothing. */
export const WaivedReason = oneOf(['blocked', 'failed'])

/** Reason why units were billed, if not for a page that was simply fetched; absent otherwise. */
export const SpentReason = oneOf(['cached', 'failed', 'blocked'])

/** Number of the attempt that fetched the page; absent: the first. */
const attempt = Type.Optional(Type.Integer({ minimum: 2 }))

/** Number of the part of a request that is billed in parts; absent: the first. */
const part = Type.Optional(Type.Integer({ minimum: 2 }))

/** UTC day of the billed commit, as YYYY-MM-DD. */
const day = Type.String({ format: 'date' })

export const UnitsSpent = fact('UnitsSpent', {
  projectId: Id,
  runId: Id,
  kind: UnitKind,
  day,
  /** One unit each. The token identifies the billed page and can be billed only once. */
  units: Type.Array(Type.Object({ token: Type.String(), pageId: Id, attempt })),
})
export type UnitsSpent = Static<typeof UnitsSpent>

/** Pages of a run that cost nothing, with the reason, for readers of the bill. */
export const UnitsWaived = fact('UnitsWaived', {
  projectId: Id,
  runId: Id,
  kind: UnitKind,
  day,
  reason: WaivedReason,
  units: Type.Array(Type.Object({ token: Type.String(), pageId: Id, attempt })),
})
export type UnitsWaived = Static<typeof UnitsWaived>

const ofRequest = { projectId: Id, requestId: Type.String(), part, operation: Type.String(), day }

export const ServedUnitsSpent = fact('ServedUnitsSpent', {
  ...ofRequest,
  kind: UnitKind,
  units: Type.Array(
    Type.Object({
      /**
       * `served:<request>:<number>`, or `served:<request>/<part>:<number>`. The numbers of a part continue over all
       * its facts.
       */
      token: Type.String(),
      /** Target of the unit, usually a URL. */
      what: Type.String(),
      /** Price of the backends beside the unit; absent: 0. One unit of a request has the whole price. */
      costUsd: Type.Optional(Type.Number({ minimum: 0 })),
      reason: Type.Optional(SpentReason),
    }),
  ),
  /** Further facts of this request follow in another commit. */
  more: Type.Optional(Type.Literal(true)),
})
export type ServedUnitsSpent = Static<typeof ServedUnitsSpent>

/** Attempts of a request that cost nothing. */
export const ServedUnitsWaived = fact('ServedUnitsWaived', {
  ...ofRequest,
  kind: UnitKind,
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

/** Calls of a language model. They are no pages, so they count for no cap of pages. */
export const ModelCallsSpent = fact('ModelCallsSpent', {
  ...ofRequest,
  kind: Type.Literal('model_call'),
  units: Type.Array(
    Type.Object({
      /** `model:<request>` or `model:<request>/<part>`. */
      token: Type.String(),
      what: Type.String(),
      model: Type.String(),
      inputTokens: Type.Integer({ minimum: 0 }),
      outputTokens: Type.Integer({ minimum: 0 }),
    }),
  ),
})
export type ModelCallsSpent = Static<typeof ModelCallsSpent>

export const UsageEvent = Type.Union([
  UnitsSpent,
  UnitsWaived,
  ServedUnitsSpent,
  ServedUnitsWaived,
  ModelCallsSpent,
])
export type UsageEvent = Static<typeof UsageEvent>

export const UsageCommit = commitOf(UsageEvent)
export type UsageCommit = Static<typeof UsageCommit>
