/** Questions and commands to crawl-coordinator. */
import { type Static, Type } from 'typebox'
import { RunView } from '../http/crawls.ts'
import { Id, orNull, Tier, Timestamp } from '../primitives.ts'
import { RunSettings } from '../run.ts'

export const StartRun = Type.Object({
  projectId: Id,
  tier: Tier,
  url: Type.String(),
  settings: RunSettings,
  idempotencyKey: orNull(Type.String()),
  /** SHA-256 of the request's body, to tell a replay from another request under the same key. */
  fingerprint: Type.String(),
})
export type StartRun = Static<typeof StartRun>

/** Where in RUNS the run's first event stands, so that the asker can wait for its own view of it. */
export const RunStartedAnswer = Type.Object({
  id: Id,
  status: Type.String(),
  url: Type.String(),
  enqueuedAt: Timestamp,
  sequence: Type.Integer(),
  replayed: Type.Boolean(),
  sameRequest: Type.Boolean(),
})
export type RunStartedAnswer = Static<typeof RunStartedAnswer>

export const GetRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type GetRun = Static<typeof GetRun>

export const GetRunAnswer = Type.Object({ run: orNull(RunView) })
export type GetRunAnswer = Static<typeof GetRunAnswer>

/** Ends a run and keeps its pages. One that has ended stays as it is. */
export const CancelRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type CancelRun = Static<typeof CancelRun>

export const CancelRunAnswer = Type.Object({ run: orNull(RunView), sequence: Type.Integer() })
export type CancelRunAnswer = Static<typeof CancelRunAnswer>
