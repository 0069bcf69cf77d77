/** Calls of the adapters of usage-ledger that the bills and the holds of runs use. */
import { encodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { subjects } from '@tidemark/contracts/subjects'
import type { UnitKind } from '@tidemark/contracts/usage'
import fc from 'fast-check'
import { countFree } from '../../../../services/usage-ledger/adapters/free-results.ts'
import {
  grantRun,
  readHold,
  reopenRuns,
  storeEnds,
  sweepHolds,
} from '../../../../services/usage-ledger/adapters/holds.ts'
import { lockedProjects } from '../../../../services/usage-ledger/adapters/locked-projects.ts'
import { readStanding } from '../../../../services/usage-ledger/adapters/reservations.ts'
import { projectsOf, storeProjects } from '../../../../services/usage-ledger/adapters/run-projects.ts'
import { holdUnits } from '../../../../services/usage-ledger/handlers/hold-units.ts'
import { recordUnits } from '../../../../services/usage-ledger/projections/ledger.ts'
import { projectId, type Random, random, runId, runIds } from './call.scene.ts'
import { ofCheckpoints } from './of-libs.scene.ts'

const kind = fc.constantFrom<UnitKind>('page', 'cloud_page')
const units = fc.nat(4)
/** Two days of a month, and one of the next. */
const days = ['2026-01-30', '2026-01-31', '2026-02-01']
const day = fc.constantFrom(...days)
const now = day.map(day => Date.parse(`${day}T08:00:00Z`))
const cap = fc.option(fc.integer({ min: 0, max: 6 }))

const spent = fc.record({
  projectId,
  runId,
  kind,
  day,
  pages: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }),
  isWaived: fc.boolean(),
})

type Spent = typeof spent extends fc.Arbitrary<infer One> ? One : never

/** Some commits bill the same pages again. */
function messageOf(bills: readonly Spent[]): StreamMessage {
  const events = bills.map(({ pages, isWaived, ...bill }) => ({
    type: isWaived ? 'UnitsWaived' : 'UnitsSpent',
    data: {
      ...bill,
      ...(isWaived && { reason: 'blocked' }),
      units: pages.map(pageId => ({ token: `${isWaived ? 'waived:' : ''}${bill.runId}:${pageId}`, pageId })),
    },
  }))
  const data = encodeJson({ at: '2026-01-31T08:00:00.000Z', events })
  return {
    ...{ sequence: 1, subject: subjects.usage(1), data, headers: undefined },
    time: new Date(0),
    pending: 0,
  }
}

const addProjects = random(
  'storeProjects',
  fc.tuple(runIds, projectId),
  ({ transaction }, [runIds, projectId]) =>
    transaction(client =>
      storeProjects(
        client,
        runIds.map(runId => ({ runId, projectId })),
      ),
    ),
  5,
)

const addGrant = random(
  'grantRun',
  fc.record({ runId, projectId, kind, granted: units }),
  ({ transaction }, { runId, projectId, kind, granted }) =>
    transaction(client => grantRun(client, { runId, projectId }, kind, granted)),
  3,
)

/** Calls that create rows. */
export const firstOfLedger: readonly Random[] = [addProjects, addGrant]

export const ofLedger: readonly Random[] = [
  ...ofCheckpoints('ledger'),
  addProjects,
  random(
    'projectsOf',
    runIds,
    ({ transaction }, runIds) => transaction(client => projectsOf(client, runIds)),
    1,
  ),
  random(
    'storeEnds',
    fc.record({ runIds, page: fc.nat(2), cloud_page: fc.constantFrom(0, 0, 1, 2) }),
    ({ transaction }, { runIds, ...billable }) =>
      transaction(client =>
        storeEnds(
          client,
          runIds.map(runId => ({ runId, billable })),
        ),
      ),
    4,
  ),
  random(
    'reopenRuns',
    fc.record({ runIds, nth: fc.integer({ min: 1, max: 3 }) }),
    ({ transaction }, { runIds, nth }) =>
      transaction(client =>
        reopenRuns(
          client,
          runIds.map(runId => ({ runId, nth })),
        ),
      ),
    3,
  ),
  random(
    'recordUnits',
    fc.array(spent, { minLength: 1, maxLength: 3 }),
    ({ transaction }, bills) => transaction(client => recordUnits(client, [messageOf(bills)])),
    5,
  ),
  random(
    'countFree',
    fc.array(fc.record({ projectId, day, units: fc.record({ page: units, cloud_page: units }) }), {
      maxLength: 3,
    }),
    ({ transaction }, results) => transaction(client => countFree(client, results)),
    3,
  ),
  addGrant,
  random('readHold', fc.tuple(runId, kind), ({ transaction }, asked) =>
    transaction(client => readHold(client, ...asked)),
  ),
  random('readStanding', fc.record({ projectId, kind, now }), ({ transaction }, { now, ...asked }) =>
    transaction(client => readStanding(client, { ...asked, requestId: '' }, now)),
  ),
  random(
    'holdUnits',
    fc.record({
      request: fc.record({
        ...{ projectId, runId, kind, upTo: units },
        limits: fc.record({ perDay: cap, perMonth: cap }),
      }),
      now,
    }),
    (db, { request, now }) => holdUnits(lockedProjects(db), () => now)(request),
    5,
  ),
  random('sweepHolds', fc.constant(null), ({ pool }) => sweepHolds(pool), 4),
]
