/** Questions and commands to crawl-coordinator. */
import { type Static, Type } from 'typebox'
import { RunStatus, RunView } from '../http/crawls.ts'
import { Id, orNull, Tier, Timestamp } from '../primitives.ts'
import { MonitorTick, RunSettings } from '../run-settings.ts'
import type { ServiceName } from '../services.ts'
import type { RunsReader } from '../subjects.ts'
import { Nothing, type Rpc, rpc } from './rpc.ts'

/** What is answered where something would be started, and may not be. */
export const StartRefusal = Type.Object({
  status: Type.Integer(),
  code: Type.String(),
  reason: Type.Optional(Type.String()),
  message: Type.String(),
  retryAfterSeconds: Type.Optional(Type.Integer()),
})
export type StartRefusal = Static<typeof StartRefusal>

export const StartRun = Type.Object({
  projectId: Id,
  tier: Tier,
  url: Type.String(),
  settings: RunSettings,
  idempotencyKey: orNull(Type.String()),
  /** Set by the scheduler only. */
  tick: Type.Optional(MonitorTick),
  /** A run that asked for the same and ended as done at most so many seconds ago is returned instead. */
  maxAgeSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Fingerprint of what the run is to do, webhooks and its pace aside: runs with the same one are alike. */
  likeness: Type.Optional(Type.String()),
  /** Fingerprint of the request's body, to tell a replay from another request under the same key. */
  fingerprint: Type.String(),
  /** Set where only an earlier run may be returned: who would get another one is refused so. */
  refusal: Type.Optional(StartRefusal),
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
  /** An earlier run was found that is young enough (`maxAgeSeconds`). */
  reused: Type.Optional(Type.Boolean()),
  sameRequest: Type.Boolean(),
})
export type RunStartedAnswer = Static<typeof RunStartedAnswer>

/** What has this key started within the last day? */
export const FindStarted = Type.Object({
  projectId: Id,
  idempotencyKey: Type.String(),
  /** As with `StartRun`; null where the request has a body that is none. */
  fingerprint: orNull(Type.String()),
})
export type FindStarted = Static<typeof FindStarted>

export const FindStartedAnswer = Type.Object({ started: orNull(RunStartedAnswer) })
export type FindStartedAnswer = Static<typeof FindStartedAnswer>

export const GetRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type GetRun = Static<typeof GetRun>

export const GetRunAnswer = Type.Object({ run: orNull(RunView) })
export type GetRunAnswer = Static<typeof GetRunAnswer>

/** Is it queued or running? A run of another project, or none, is as one that was deleted. */
export const IsRunActive = Type.Object({ projectId: Id, runId: Type.Integer() })
export type IsRunActive = Static<typeof IsRunActive>

/** `status` is left out where the run has no event yet, and by those who do not know of it. */
export const IsRunActiveAnswer = Type.Object({
  active: Type.Boolean(),
  status: Type.Optional(Type.Union([...RunStatus.anyOf, Type.Literal('deleted')])),
})
export type IsRunActiveAnswer = Static<typeof IsRunActiveAnswer>

/** Ends a run and keeps its pages. One that has ended stays as it is. */
export const CancelRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type CancelRun = Static<typeof CancelRun>

export const CancelRunAnswer = Type.Object({ run: orNull(RunView), sequence: Type.Integer() })
export type CancelRunAnswer = Static<typeof CancelRunAnswer>

/** Ends a run if it has not ended, and removes all that belongs to it but its bill. Final. */
export const DeleteRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type DeleteRun = Static<typeof DeleteRun>

/** False where the project has no such run (any more). */
export const DeleteRunAnswer = Type.Object({ deleted: Type.Boolean(), sequence: Type.Integer() })
export type DeleteRunAnswer = Static<typeof DeleteRunAnswer>

/** To a reader of RUNS: up to which sequence are you through? */
export const Reached = Type.Object({ sequence: Type.Integer() })
export type Reached = Static<typeof Reached>

export const startRun = rpc({
  subject: 'ask.runs.start',
  request: StartRun,
  response: RunStartedAnswer,
  callers: ['gateway', 'scheduler'],
  server: 'crawl-coordinator',
})

export const findStarted = rpc({
  subject: 'ask.runs.find-started',
  request: FindStarted,
  response: FindStartedAnswer,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const getRun = rpc({
  subject: 'ask.runs.get',
  request: GetRun,
  response: GetRunAnswer,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const isRunActive = rpc({
  subject: 'ask.runs.is-active',
  request: IsRunActive,
  response: IsRunActiveAnswer,
  callers: ['gateway', 'scheduler', 'admin'],
  server: 'crawl-coordinator',
})

export const cancelRun = rpc({
  subject: 'ask.runs.cancel',
  request: CancelRun,
  response: CancelRunAnswer,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const deleteRun = rpc({
  subject: 'ask.runs.delete',
  request: DeleteRun,
  response: DeleteRunAnswer,
  callers: ['gateway', 'admin'],
  server: 'crawl-coordinator',
})

/** Each reader of RUNS has its own server. */
const reachedBy = (reader: RunsReader, server: ServiceName) =>
  rpc({
    subject: `ask.reached.${reader}`,
    request: Nothing,
    response: Reached,
    callers: ['crawl-coordinator', 'admin'],
    server,
  })

/** How far a reader of RUNS has come: what it has not read yet must not be purged. */
export const reached = {
  projector: reachedBy('projector', 'projector'),
  ledger: reachedBy('ledger', 'usage-ledger'),
  content: reachedBy('content', 'extractor'),
  webhook: reachedBy('webhook', 'webhook'),
} as const satisfies Record<RunsReader, Rpc>
