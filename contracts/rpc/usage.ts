/** Questions and commands to usage-ledger. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { UnitKind } from '../usage.ts'
import { Nothing, rpc } from './rpc.ts'

export const ReadUsage = Type.Object({
  projectId: Id,
  day: Type.String({ format: 'date' }),
  /** At most two days ago: cloud pages from then on are counted besides. */
  since: Type.Optional(Timestamp),
})
export type ReadUsage = Static<typeof ReadUsage>

const Counters = Type.Object({
  pages: Type.Integer(),
  cloudPages: Type.Integer(),
  cloudCostUsd: Type.Number(),
})

const Recent = Type.Object({ cloudPages: Type.Integer(), cloudCostUsd: Type.Number() })

/** `recent` is there where `since` was asked for. */
export const ReadUsageAnswer = Type.Object({
  today: Counters,
  month: Counters,
  recent: Type.Optional(Recent),
})
export type ReadUsageAnswer = Static<typeof ReadUsageAnswer>

/** Both ends count. */
export const ReadUsageHistory = Type.Object({
  projectId: Id,
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
})
export type ReadUsageHistory = Static<typeof ReadUsageHistory>

/** Every day of it, the first one first. */
export const ReadUsageHistoryAnswer = Type.Object({
  days: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), ...Counters.properties })),
})
export type ReadUsageHistoryAnswer = Static<typeof ReadUsageHistoryAnswer>

/** Rows of the ledger, the earliest first. Null is without that bound; both days count. */
export const ReadLedger = Type.Object({
  projectId: Id,
  from: orNull(Type.String({ format: 'date' })),
  to: orNull(Type.String({ format: 'date' })),
  runId: orNull(Id),
  requestId: orNull(Type.String()),
  kind: orNull(UnitKind),
  limit: Type.Integer({ minimum: 1, maximum: 1001 }),
  offset: Type.Integer({ minimum: 0 }),
})
export type ReadLedger = Static<typeof ReadLedger>

export const LedgerRow = Type.Object({
  at: Timestamp,
  day: Type.String({ format: 'date' }),
  kind: UnitKind,
  units: Type.Integer(),
  reason: Type.String(),
  operation: Type.String(),
  /** A page of a run has these three, and what a request asked for the other two. */
  runId: orNull(Id),
  pageId: orNull(Id),
  attempt: orNull(Type.Integer()),
  requestId: orNull(Type.String()),
  what: orNull(Type.String()),
  costUsd: Type.Number(),
})
export type LedgerRow = Static<typeof LedgerRow>

export const ReadLedgerAnswer = Type.Object({ rows: Type.Array(LedgerRow) })
export type ReadLedgerAnswer = Static<typeof ReadLedgerAnswer>

const cap = orNull(Type.Integer({ minimum: 0 }))

/** Room for what a request is about to spend, kept until it is billed or given back, or for 15 minutes. */
export const ReserveUnits = Type.Object({
  projectId: Id,
  /**
   * Asked again under this name and for this kind, the answer is the same; but where all was granted, more may be asked
   * for: then `units` and the answer count what was granted before too.
   */
  requestId: Type.String({ minLength: 1, maxLength: 128 }),
  kind: UnitKind,
  units: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  /** What the project may spend of this kind; null is without limit. Days and months are those of UTC. */
  limits: Type.Object({ perDay: cap, perMonth: cap }),
})
export type ReserveUnits = Static<typeof ReserveUnits>

/** Granted is what fits, from nothing to all. Where it is not all, the reason names the cap and when it ends. */
export const ReserveUnitsAnswer = Type.Object({
  granted: Type.Integer(),
  /** How much more would fit if others gave back what they hold; not there where it is nothing. */
  held: Type.Optional(Type.Integer()),
  reason: orNull(
    Type.Union([Type.Literal('daily_pages'), Type.Literal('monthly_pages'), Type.Literal('cloud_pages')]),
  ),
  retryAfterSeconds: orNull(Type.Integer()),
})
export type ReserveUnitsAnswer = Static<typeof ReserveUnitsAnswer>

/**
 * Room for the pages of a run, asked for again whenever it wants to go on. `upTo` counts from the run's beginning:
 * asked twice, nothing more is granted.
 */
export const HoldUnits = Type.Object({
  projectId: Id,
  runId: Id,
  /** Without it pages. */
  kind: Type.Optional(UnitKind),
  upTo: Type.Integer({ minimum: 0 }),
  limits: Type.Object({ perDay: cap, perMonth: cap }),
})
export type HoldUnits = Static<typeof HoldUnits>

/**
 * `granted` counts from the run's beginning too. The reason names a cap that is used up; where there is less than was
 * asked for and no reason, others hold the rest and may give it back.
 */
export const HoldUnitsAnswer = Type.Object({
  granted: Type.Integer(),
  reason: ReserveUnitsAnswer.properties.reason,
})
export type HoldUnitsAnswer = Static<typeof HoldUnitsAnswer>

/** Told when a request spends nothing: its room is free at once. Never told of one that was served. */
export const ReleaseUnits = Type.Object({ projectId: Id, requestId: Type.String() })
export type ReleaseUnits = Static<typeof ReleaseUnits>

export const readUsage = rpc({
  subject: 'ask.usage.read',
  request: ReadUsage,
  response: ReadUsageAnswer,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const readUsageHistory = rpc({
  subject: 'ask.usage.history',
  request: ReadUsageHistory,
  response: ReadUsageHistoryAnswer,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const readLedger = rpc({
  subject: 'ask.usage.ledger',
  request: ReadLedger,
  response: ReadLedgerAnswer,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const reserveUnits = rpc({
  subject: 'ask.usage.reserve',
  request: ReserveUnits,
  response: ReserveUnitsAnswer,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const holdUnits = rpc({
  subject: 'ask.usage.hold',
  request: HoldUnits,
  response: HoldUnitsAnswer,
  callers: ['crawl-coordinator'],
  server: 'usage-ledger',
})

/** Sent without waiting: the capacity of a lost one is free again after 15 minutes. */
export const unitsReleased = rpc({
  subject: 'tell.units-released',
  request: ReleaseUnits,
  response: Nothing,
  callers: ['gateway'],
  server: 'usage-ledger',
})
