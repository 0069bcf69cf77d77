/**
 * The stream SERVED: the units and the cost of each synchronous request, in one commit that is appended before its
 * response. A request that lasts longer than a reservation has one commit for each of its parts.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'
import { SpentReason, UnitKind, WaivedReason } from './usage.ts'

/** Limits of what a request records about its costs, so that its commit fits into a message. */
export const servedLimits = {
  /** Maximum number of entries of a request. Larger requests record counts. */
  entries: 1_000,
  /** Maximum bytes of the target of an entry. */
  whatBytes: 2_048,
  /** Maximum bytes of the target of a failed entry. Clients can send many of those without a fetch. */
  failedBytes: 256,
  /** Maximum bytes of all free entries together. Further ones are left out. */
  waivedBytes: 4_096,
} as const

export const ServedUnits = Type.Object({
  kind: UnitKind,
  /** Number of units of this entry. */
  n: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  /** Target of the units, usually a URL, cut to 2 KB. */
  what: Type.String(),
  reason: Type.Optional(SpentReason),
})
export type ServedUnits = Static<typeof ServedUnits>

const Count = Type.Integer({ minimum: 1 })

/** An attempt that cost nothing. */
export const ServedWaived = Type.Object({ kind: UnitKind, what: Type.String(), reason: WaivedReason })
export type ServedWaived = Static<typeof ServedWaived>

export const RequestServed = fact('RequestServed', {
  projectId: Id,
  requestId: Type.String({ minLength: 1 }),
  /** Number of the part, from 2, of a request that is billed in parts. Each has its own commit and reservation. */
  part: Type.Optional(Type.Integer({ minimum: 2 })),
  /** Name of the operation, such as `scan` and `scan_bulk`. */
  operation: Type.String(),
  /** Empty for a request that costs nothing. */
  units: Type.Array(ServedUnits),
  costUsd: Type.Number({ minimum: 0 }),
  waived: Type.Optional(Type.Array(ServedWaived)),
  /** The request was refused before any attempt at its site, so its free attempts do not count towards their limit. */
  uncounted: Type.Optional(Type.Literal(true)),
  /** Number of free attempts that `waived` leaves out, by kind; absent: none. */
  unlisted: Type.Optional(Type.Partial(Type.Object({ page: Count, cloud_page: Count }))),
})
export type RequestServed = Static<typeof RequestServed>

/**
 * A request used a language model. It is in the commit of its `RequestServed`, and counts once however often the commit
 * is read. The tokens are those of all responses of the model to this request or part.
 */
export const ModelCalled = fact('ModelCalled', {
  projectId: Id,
  requestId: Type.String({ minLength: 1 }),
  part: Type.Optional(Type.Integer({ minimum: 2 })),
  operation: Type.String(),
  model: Type.String(),
  inputTokens: Type.Integer({ minimum: 0 }),
  outputTokens: Type.Integer({ minimum: 0 }),
  /** The page that the model received, cut like the target of a unit. */
  what: Type.String(),
})
export type ModelCalled = Static<typeof ModelCalled>

export const ServedEvent = Type.Union([RequestServed, ModelCalled])
export type ServedEvent = Static<typeof ServedEvent>

/** Returns the name of a part of a request. The first part has the name of the request. */
export const nameOfPart = ({
  requestId,
  part = 1,
}: {
  requestId: string
  part?: number | undefined
}): string => (part === 1 ? requestId : `${requestId}/${part}`)

export const ServedCommit = commitOf(ServedEvent)
export type ServedCommit = Static<typeof ServedCommit>
