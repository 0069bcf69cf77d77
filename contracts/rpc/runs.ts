/** Requests and commands to crawl-coordinator. */
import { type Static, Type } from 'typebox'
import { RunStatus, RunView } from '../http/crawls.ts'
import { Caps } from '../limits.ts'
import { Id, orNull, Tier, Timestamp } from '../primitives.ts'
import { MonitorTick, RunSettings } from '../run-settings.ts'
import type { ServiceName } from '../services.ts'
import type { RunsReader } from '../subjects.ts'
import { Nothing, type Rpc, rpc } from './rpc.ts'

/** The error to return instead of starting something new. */
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
  /** The tick of the monitor that starts the run. Other callers than the scheduler omit it. */
  tick: Type.Optional(MonitorTick),
  /** Return an equal earlier run instead, if one ended as done within this number of seconds. */
  maxAgeSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Fingerprint of the settings that affect the result, without webhooks and rate limits. Equal runs share it. */
  likeness: Type.Optional(Type.String()),
  /** Fingerprint of the request body, which distinguishes a replay from another request with the same key. */
  fingerprint: Type.String(),
  /** The error for a request that would start a new run. An earlier run, by key or by age, is still returned. */
  refusal: Type.Optional(StartRefusal),
})
export type StartRun = Static<typeof StartRun>

/**
 * `sequence` is the position of the run's first event in RUNS, so that the caller can wait for its own read model.
 */
export const RunStartedResponse = Type.Object({
  id: Id,
  status: Type.String(),
  url: Type.String(),
  enqueuedAt: Timestamp,
  sequence: Type.Integer(),
  replayed: Type.Boolean(),
  /** An earlier run that is young enough was found (`maxAgeSeconds`). */
  reused: Type.Optional(Type.Boolean()),
  sameRequest: Type.Boolean(),
})
export type RunStartedResponse = Static<typeof RunStartedResponse>

/** Reads the run that this key started within the last day. */
export const FindStarted = Type.Object({
  projectId: Id,
  idempotencyKey: Type.String(),
  /** As in `StartRun`; null: the body of the request is invalid. */
  fingerprint: orNull(Type.String()),
})
export type FindStarted = Static<typeof FindStarted>

export const FindStartedResponse = Type.Object({ started: orNull(RunStartedResponse) })
export type FindStartedResponse = Static<typeof FindStartedResponse>

export const GetRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type GetRun = Static<typeof GetRun>

export const GetRunResponse = Type.Object({ run: orNull(RunView) })
export type GetRunResponse = Static<typeof GetRunResponse>

/** Returns whether a run is queued or running. Unknown runs and runs of other projects look like deleted ones. */
export const IsRunActive = Type.Object({ projectId: Id, runId: Type.Integer() })
export type IsRunActive = Static<typeof IsRunActive>

/** `status` is absent if the run has no event yet, and from servers of earlier versions. */
export const IsRunActiveResponse = Type.Object({
  active: Type.Boolean(),
  status: Type.Optional(Type.Union([...RunStatus.anyOf, Type.Literal('deleted')])),
})
export type IsRunActiveResponse = Static<typeof IsRunActiveResponse>

/** Returns the settings of a run, for a fork of it. `found` is null if the project has no such run. */
export const GetRunSettings = GetRun
export type GetRunSettings = Static<typeof GetRunSettings>

export const GetRunSettingsResponse = Type.Object({
  found: orNull(
    Type.Object({
      url: Type.String(),
      status: RunStatus,
      settings: RunSettings,
      /** Number of pages that a fork can take from the store. */
      pages: Type.Integer({ minimum: 0 }),
    }),
  ),
})
export type GetRunSettingsResponse = Static<typeof GetRunSettingsResponse>

/** Ends a run and keeps its pages. A run that has ended stays unchanged. */
export const CancelRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type CancelRun = Static<typeof CancelRun>

export const CancelRunResponse = Type.Object({ run: orNull(RunView), sequence: Type.Integer() })
export type CancelRunResponse = Static<typeof CancelRunResponse>

/** Pauses or resumes a run. Its current state may be the requested one already. 409 `run_ended`: it has ended. */
const ChangeRun = Type.Object({ projectId: Id, runId: Type.Integer() })

/** Pauses have no caps, because they start no work. */
export const ResumeRun = Type.Object({
  ...ChangeRun.properties,
  /** Caps of the calling key. 409 `narrowed_key`: they are below those of the key that started the run. */
  keyCaps: Type.Optional(Caps),
})
export type ResumeRun = Static<typeof ResumeRun>

export const ChangeRunResponse = Type.Object({ run: orNull(RunView), sequence: Type.Integer() })
export type ChangeRunResponse = Static<typeof ChangeRunResponse>

/**
 * Orders the failed URLs of an ended run again, within the run. 409: `run_active`, `run_cancelled`, `no_failures`,
 * `max_pages_reached`, `max_cost_reached`, `max_bytes_reached`, `narrowed_key`. 429 `concurrent_runs`: the project has no free
 * slot.
 */
export const ReopenRun = ResumeRun
export type ReopenRun = ResumeRun

/** `retried` is the number of URLs that are pending again. */
export const ReopenRunResponse = Type.Object({
  run: orNull(RunView),
  retried: Type.Integer(),
  sequence: Type.Integer(),
})
export type ReopenRunResponse = Static<typeof ReopenRunResponse>

/** Ends a run if it has not ended, and deletes everything except its bill. It cannot be undone. */
export const DeleteRun = Type.Object({ projectId: Id, runId: Type.Integer() })
export type DeleteRun = Static<typeof DeleteRun>

/** `deleted` is false if the project has no such run, or no longer has it. */
export const DeleteRunResponse = Type.Object({ deleted: Type.Boolean(), sequence: Type.Integer() })
export type DeleteRunResponse = Static<typeof DeleteRunResponse>

/** To a reader of RUNS: reads the last sequence that it has processed. */
export const Reached = Type.Object({ sequence: Type.Integer() })
export type Reached = Static<typeof Reached>

export const startRun = rpc({
  subject: 'ask.runs.start',
  request: StartRun,
  response: RunStartedResponse,
  callers: ['gateway', 'scheduler'],
  server: 'crawl-coordinator',
})

export const findStarted = rpc({
  subject: 'ask.runs.find-started',
  request: FindStarted,
  response: FindStartedResponse,
  callers: ['gateway', 'scheduler'],
  server: 'crawl-coordinator',
})

export const getRun = rpc({
  subject: 'ask.runs.get',
  request: GetRun,
  response: GetRunResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const getRunSettings = rpc({
  subject: 'ask.runs.settings',
  request: GetRunSettings,
  response: GetRunSettingsResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const isRunActive = rpc({
  subject: 'ask.runs.is-active',
  request: IsRunActive,
  response: IsRunActiveResponse,
  callers: ['gateway', 'scheduler', 'admin'],
  server: 'crawl-coordinator',
})

export const cancelRun = rpc({
  subject: 'ask.runs.cancel',
  request: CancelRun,
  response: CancelRunResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const pauseRun = rpc({
  subject: 'ask.runs.pause',
  request: ChangeRun,
  response: ChangeRunResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const resumeRun = rpc({
  subject: 'ask.runs.resume',
  request: ResumeRun,
  response: ChangeRunResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const reopenRun = rpc({
  subject: 'ask.runs.reopen',
  request: ReopenRun,
  response: ReopenRunResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})

export const deleteRun = rpc({
  subject: 'ask.runs.delete',
  request: DeleteRun,
  response: DeleteRunResponse,
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

/** The progress of each reader of RUNS. Events that it has not read yet must not be purged. */
export const reached = {
  projector: reachedBy('projector', 'projector'),
  ledger: reachedBy('ledger', 'usage-ledger'),
  content: reachedBy('content', 'extractor'),
  webhook: reachedBy('webhook', 'webhook'),
} as const satisfies Record<RunsReader, Rpc>
