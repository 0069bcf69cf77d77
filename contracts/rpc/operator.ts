/** Requests for the operator's overview, each to the service that owns the data. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Tier, Timestamp } from '../primitives.ts'
import type { ServiceName } from '../services.ts'
import { Nothing, type Rpc, rpc } from './rpc.ts'

/** `messages` is negative for a stream that lost messages that were read. `seconds` is the age of the first message. */
const LagsAnswer = Type.Object({
  lags: Type.Array(
    Type.Object({
      projection: Type.String(),
      stream: Type.String(),
      messages: Type.Integer(),
      seconds: Type.Number(),
    }),
  ),
})

/** Maximum number of rows of a response. */
export const maxListed = 50
const limit = Type.Integer({ minimum: 1, maximum: maxListed })

/** Reads the hosts whose pause lasts, or ended within the last ten minutes: the latest end first. */
const ThrottledHosts = Type.Object({ limit })

/** `total` also counts the hosts beyond the limit. */
export const ThrottledHostsResponse = Type.Object({
  total: Type.Integer(),
  hosts: Type.Array(
    Type.Object({
      /** Scheme and host with its port, such as `https://example.com`. */
      origin: Type.String(),
      pausedUntil: Timestamp,
      /** Number of pauses since the host entered the list. */
      pauses: Type.Integer(),
    }),
  ),
})
export type ThrottledHostsResponse = Static<typeof ThrottledHostsResponse>

/** Reads the projects with most units of a UTC day, and those with the highest costs of its month until then. */
const ReadSpending = Type.Object({ day: Type.String({ format: 'date' }), limit })

const Spent = Type.Object({
  pages: Type.Integer(),
  cloudPages: Type.Integer(),
  cloudCostUsd: Type.Number(),
  modelCalls: Type.Integer(),
})
export type Spent = Static<typeof Spent>
const OfProject = Type.Object({ projectId: Id, ...Spent.properties })

export const ReadSpendingResponse = Type.Object({
  /** Sums over all projects. */
  today: Spent,
  month: Spent,
  /** Sums of the day, the most units first. Projects without units are left out. */
  byUnits: Type.Array(OfProject),
  /** Sums of the month, the highest cost first. Projects without costs are left out. */
  byCost: Type.Array(OfProject),
})
export type ReadSpendingResponse = Static<typeof ReadSpendingResponse>

/**
 * Reads projects with the numbers of their runs: first those with these ids, then the others, most active and started
 * runs first. `names` are further projects whose names are read.
 */
export const ReadActivity = Type.Object({
  day: Type.String({ format: 'date' }),
  projectIds: Type.Array(Id, { maxItems: maxListed }),
  names: Type.Array(Id, { maxItems: maxListed }),
  limit,
})
export type ReadActivity = Static<typeof ReadActivity>

/** `total` counts all projects. */
export const ReadActivityResponse = Type.Object({
  total: Type.Integer(),
  projects: Type.Array(
    Type.Object({
      projectId: Id,
      name: Type.String(),
      tier: Tier,
      queued: Type.Integer(),
      running: Type.Integer(),
      /** Runs that were started on the day, whether they have ended or not. */
      started: Type.Integer(),
    }),
  ),
  names: Type.Array(Type.Object({ projectId: Id, name: orNull(Type.String()) })),
})
export type ReadActivityResponse = Static<typeof ReadActivityResponse>

const lagsOf = (server: ServiceName) =>
  rpc({
    subject: `ask.operator.lags-${server}`,
    request: Nothing,
    response: LagsAnswer,
    callers: ['gateway'],
    server,
  })

/** How far the projections of each service are behind their streams. */
export const lags = {
  projector: lagsOf('projector'),
  'usage-ledger': lagsOf('usage-ledger'),
  extractor: lagsOf('extractor'),
  webhook: lagsOf('webhook'),
} as const satisfies Partial<Record<ServiceName, Rpc>>

export const throttledHosts = rpc({
  subject: 'ask.operator.pressed-hosts',
  request: ThrottledHosts,
  response: ThrottledHostsResponse,
  callers: ['gateway'],
  server: 'fetcher',
})

export const readSpending = rpc({
  subject: 'ask.operator.spending',
  request: ReadSpending,
  response: ReadSpendingResponse,
  callers: ['gateway'],
  server: 'usage-ledger',
})

export const readActivity = rpc({
  subject: 'ask.operator.activity',
  request: ReadActivity,
  response: ReadActivityResponse,
  callers: ['gateway'],
  server: 'projector',
})
