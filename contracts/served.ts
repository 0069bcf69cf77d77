/**
 * What one synchronous request did and spent: one commit a request, appended before the request is answered. One that
 * lasts for longer than a reservation has a commit for each of its parts.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id } from './primitives.ts'
import { SpentReason, UnitKind, WaivedReason } from './usage.ts'

/** How a request says what it spent, so that its commit fits a message. */
export const servedLimits = {
  /** Entries of a request; who has more says counts. */
  entries: 1_000,
  /** Of what an entry was for. */
  whatBytes: 2_048,
  /** Of what an entry was for that failed: anybody can ask for many of those that cost no fetch. */
  failedBytes: 256,
  /** Of all entries together that cost nothing; what has no room any more is left out. */
  waivedBytes: 4_096,
} as const

export const ServedUnits = Type.Object({
  kind: UnitKind,
  /** Units of this entry. */
  n: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  /** What they were spent on, mostly a URL; cut where it is longer than 2 KB. */
  what: Type.String(),
  reason: Type.Optional(SpentReason),
})
export type ServedUnits = Static<typeof ServedUnits>

/** Something that was tried and cost nothing. */
export const ServedWaived = Type.Object({ kind: UnitKind, what: Type.String(), reason: WaivedReason })
export type ServedWaived = Static<typeof ServedWaived>

export const RequestServed = fact('RequestServed', {
  projectId: Id,
  requestId: Type.String({ minLength: 1 }),
  /** Of a request that is billed part by part, from the second one on: each has a commit and a reservation of its own. */
  part: Type.Optional(Type.Integer({ minimum: 2 })),
  /** Such as `scan` and `scan_bulk`. */
  operation: Type.String(),
  /** None for a request that costs nothing. */
  units: Type.Array(ServedUnits),
  costUsd: Type.Number({ minimum: 0 }),
  waived: Type.Optional(Type.Array(ServedWaived)),
})
export type RequestServed = Static<typeof RequestServed>

/** What a part of a request is called where a request has a name; the first one as the request itself. */
export const nameOfPart = ({
  requestId,
  part = 1,
}: {
  requestId: string
  part?: number | undefined
}): string => (part === 1 ? requestId : `${requestId}/${part}`)

export const ServedCommit = commitOf(RequestServed)
export type ServedCommit = Static<typeof ServedCommit>
