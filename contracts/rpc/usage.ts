/** Requests and commands to usage-ledger. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { LedgerKind, UnitKind } from '../usage.ts'
import { Nothing, rpc } from './rpc.ts'

export const ReadUsage = Type.Object({
  projectId: Id,
  day: Type.String({ format: 'date' }),
  /** At most two days ago. The response then also counts the cloud pages since this time. */
  since: Type.Optional(Timestamp),
  /** Whether to wait until all pages and requests until now are counted, for a second at most. */
  isCurrent: Type.Optional(Type.Literal(true)),
})
export type ReadUsage = Static<typeof ReadUsage>

const Counters = Type.Object({
  pages: Type.Integer(),
  cloudPages: Type.Integer(),
  cloudCostUsd: Type.Number(),
})

const Recent = Type.Object({ cloudPages: Type.Integer(), cloudCostUsd: Type.Number() })

/** `recent` is set if `since` is. */
export const ReadUsageResponse = Type.Object({
  today: Counters,
  month: Counters,
  recent: Type.Optional(Recent),
})
export type ReadUsageResponse = Static<typeof ReadUsageResponse>

/** Both days are included. */
export const ReadUsageHistory = Type.Object({
  projectId: Id,
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
})
export type ReadUsageHistory = Static<typeof ReadUsageHistory>

/** Every day of the range, oldest first. */
export const ReadUsageHistoryResponse = Type.Object({
  days: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), ...Counters.properties })),
})
export type ReadUsageHistoryResponse = Static<typeof ReadUsageHistoryResponse>

/** Rows of the ledger, oldest first. Null removes a bound. Both days are included. */
export const ReadLedger = Type.Object({
  projectId: Id,
  from: orNull(Type.String({ format: 'date' })),
  to: orNull(Type.String({ format: 'date' })),
  runId: orNull(Id),
  requestId: orNull(Type.String()),
  kind: orNull(LedgerKind),
  limit: Type.Integer({ minimum: 1, maximum: 1001 }),
  offset: Type.Integer({ minimum: 0 }),
})
export type ReadLedger = Static<typeof ReadLedger>

export const LedgerRow = Type.Object({
  at: Timestamp,
  day: Type.String({ format: 'date' }),
  kind: LedgerKind,
  units: Type.Integer(),
  reason: Type.String(),
  operation: Type.String(),
  /** The page of a run has these three fields; the row of a request has `requestId` and `what`. */
  runId: orNull(Id),
  pageId: orNull(Id),
  attempt: orNull(Type.Integer()),
  requestId: orNull(Type.String()),
  what: orNull(Type.String()),
  costUsd: Type.Number(),
  /** The model and its tokens. Rows of other kinds than `model_call` lack them. */
  model: Type.Optional(orNull(Type.String())),
  inputTokens: Type.Optional(orNull(Type.Integer())),
  outputTokens: Type.Optional(orNull(Type.Integer())),
})
export type LedgerRow = Static<typeof LedgerRow>

export const ReadLedgerResponse = Type.Object({ rows: Type.Array(LedgerRow) })
export type ReadLedgerResponse = Static<typeof ReadLedgerResponse>

const cap = orNull(Type.Integer({ minimum: 0 }))

/**
 * Reserves units before a request spends them. The reservation ends with the bill, the release, or after 15 minutes.
 */
export const ReserveUnits = Type.Object({
  projectId: Id,
  /**
   * Repeated requests with this id and kind have the same result. If everything was granted before, a request may
   * reserve more: `units` and the result then include the units that were granted before.
   */
  requestId: Type.String({ minLength: 1, maxLength: 128 }),
  kind: UnitKind,
  units: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  /** Caps of the project for this kind; null means unlimited. Days and months are in UTC. */
  limits: Type.Object({ perDay: cap, perMonth: cap }),
})
export type ReserveUnits = Static<typeof ReserveUnits>

/** `granted` is between 0 and `units`. If it is less, `reason` names the cap, and `retryAfterSeconds` is the time to its reset. */
export const ReserveUnitsResponse = Type.Object({
  granted: Type.Integer(),
  /** Number of further units that would fit if other holders released theirs; absent: 0. */
  held: Type.Optional(Type.Integer()),
  reason: orNull(
    Type.Union([
      Type.Literal('daily_pages'),
      Type.Literal('monthly_pages'),
      Type.Literal('cloud_pages'),
      /** The project has had the maximum number of results of this day that cost nothing. */
      Type.Literal('free_results'),
    ]),
  ),
  retryAfterSeconds: orNull(Type.Integer()),
})
export type ReserveUnitsResponse = Static<typeof ReserveUnitsResponse>

/**
 * Reserves units for the pages of a run. The run repeats it whenever it wants to continue. `upTo` counts from the
 * start of the run, so a repeated request grants nothing more.
 */
export const HoldUnits = Type.Object({
  projectId: Id,
  runId: Id,
  /** Default: pages. */
  kind: Type.Optional(UnitKind),
  upTo: Type.Integer({ minimum: 0 }),
  limits: Type.Object({ perDay: cap, perMonth: cap }),
  /** How often the run was reopened; absent: never. Nothing is granted before the ledger has read as many reopenings. */
  reopenings: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type HoldUnits = Static<typeof HoldUnits>

/**
 * `granted` also counts from the start of the run. The reason names an exhausted cap. If less is granted without a
 * reason, other holders have the rest and may release it. After `free_results` the run may spend nothing more, not even
 * granted units.
 */
export const HoldUnitsResponse = Type.Object({
  granted: Type.Integer(),
  reason: ReserveUnitsResponse.properties.reason,
})
export type HoldUnitsResponse = Static<typeof HoldUnitsResponse>

/**
 * Reserves one call of the language model under the daily cap of the installation, before the call. Repeated requests with
 * this id have the same result. The reservation ends like that of units.
 */
export const ReserveModelCall = Type.Object({
  projectId: Id,
  requestId: Type.String({ minLength: 1, maxLength: 128 }),
})
export type ReserveModelCall = Static<typeof ReserveModelCall>

export const ReserveModelCallResponse = Type.Object({
  granted: Type.Boolean(),
  /** Whether an earlier request with this id holds the call. Default: no. */
  isRepeated: Type.Optional(Type.Boolean()),
  /** Calls of a project in a UTC day. */
  cap: Type.Integer({ minimum: 0 }),
  /** Seconds until the next day. */
  retryAfterSeconds: Type.Integer({ minimum: 0 }),
})
export type ReserveModelCallResponse = Static<typeof ReserveModelCallResponse>

/** Sent when a request spends nothing, to free its reservation at once. Never sent for a request that was served. */
export const ReleaseUnits = Type.Object({ projectId: Id, requestId: Type.String() })
export type ReleaseUnits = Static<typeof ReleaseUnits>

export const readUsage = rpc({
  subject: 'ask.usage.read',
  request: ReadUsage,
  response: ReadUsageResponse,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const readUsageHistory = rpc({
  subject: 'ask.usage.history',
  request: ReadUsageHistory,
  response: ReadUsageHistoryResponse,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const readLedger = rpc({
  subject: 'ask.usage.ledger',
  request: ReadLedger,
  response: ReadLedgerResponse,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const reserveUnits = rpc({
  subject: 'ask.usage.reserve',
  request: ReserveUnits,
  response: ReserveUnitsResponse,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const reserveModelCall = rpc({
  subject: 'ask.usage.reserve-model-call',
  request: ReserveModelCall,
  response: ReserveModelCallResponse,
  callers: ['gateway', 'projector', 'extractor'],
  server: 'usage-ledger',
})

export const holdUnits = rpc({
  subject: 'ask.usage.hold',
  request: HoldUnits,
  response: HoldUnitsResponse,
  callers: ['crawl-coordinator'],
  server: 'usage-ledger',
})

/** Sent without waiting. If one is lost, the reservation expires after 15 minutes. */
export const unitsReleased = rpc({
  subject: 'tell.units-released',
  request: ReleaseUnits,
  response: Nothing,
  callers: ['gateway', 'projector', 'extractor'],
  server: 'usage-ledger',
})
