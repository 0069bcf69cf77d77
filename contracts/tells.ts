/** Messages that are told without an answer; each can be lost without harm. */
import { type Static, Type } from 'typebox'
import { Id } from './primitives.ts'

/** A run of this shard has something to do: its owner looks at it now instead of at its next sweep. */
export const RunAwaits = Type.Object({ runId: Id })
export type RunAwaits = Static<typeof RunAwaits>

/** A run was ended from outside: what is ordered for it is no longer wanted. */
export const RunEnded = Type.Object({ runId: Id })
export type RunEnded = Static<typeof RunEnded>

/** Nobody waits any more for what is fetched for this work. */
export const WorkDropped = Type.Object({ workId: Type.Integer({ maximum: -1 }) })
export type WorkDropped = Static<typeof WorkDropped>

/** A projection has committed up to this sequence of its stream. */
export const Projected = Type.Object({ stream: Type.String(), sequence: Type.Integer() })
export type Projected = Static<typeof Projected>
