/** Messages without a response. The loss of each one is harmless. */
import { type Static, Type } from 'typebox'
import { Id, orNull } from './primitives.ts'

/** A run of this shard has work: its owner checks it now instead of at its next sweep. */
export const RunAwaits = Type.Object({ runId: Id })
export type RunAwaits = Static<typeof RunAwaits>

/** A run ended before its orders: they are obsolete. */
export const RunEnded = Type.Object({
  runId: Id,
  /** The run may be retried: only its orders in flight are obsolete, because a retry sends further ones. */
  mayBeRetried: Type.Optional(Type.Literal(true)),
})
export type RunEnded = Static<typeof RunEnded>

/** The caller of this work has stopped waiting for its fetches. */
export const WorkDropped = Type.Object({ workId: Type.Integer({ maximum: -1 }) })
export type WorkDropped = Static<typeof WorkDropped>

/** A host has requested a pause of `ms` milliseconds (Retry-After). All other fetchers keep the pause too. */
export const HostPaused = Type.Object({
  /** Host with the port. */
  host: Type.String(),
  protocol: Type.String(),
  /** The run, or work without a run, that pauses its requests; null: all requests. */
  runId: orNull(Type.Integer()),
  ms: Type.Number({ minimum: 0 }),
})
export type HostPaused = Static<typeof HostPaused>

/** A projection has committed up to this sequence of its stream. */
export const Projected = Type.Object({ stream: Type.String(), sequence: Type.Integer() })
export type Projected = Static<typeof Projected>
