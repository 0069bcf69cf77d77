/** Calls of the adapters of webhook that decide deliveries. Runs have no monitor and select no notices. */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'
import fc from 'fast-check'
import { type Decided, recordDecisions } from '../../../../services/webhook/adapters/decisions.ts'
import { findDuePages, PageSubscriptions } from '../../../../services/webhook/adapters/page-batching.ts'
import {
  forgetRuns,
  recordRuns,
  recordStarts,
  wantedRuns,
} from '../../../../services/webhook/adapters/runs.ts'
import { findOverdueRuns, takeWaiting } from '../../../../services/webhook/adapters/waiting-runs.ts'
import { projectId, type Random, random, runIds } from './call.scene.ts'
import { ofCheckpoints, ofOutbox } from './of-libs.scene.ts'

const at = fc.constantFrom('2026-01-31T08:00:00.000Z', '2026-01-31T09:00:00.000Z')
const trace = undefined
const events = fc.subarray<WebhookEvent>(['crawl.done', 'crawl.diff_detected'])
const target = fc.constantFrom('https://hook.example/', 'https://other.example/in')

const decision = fc.record({
  projectId,
  target,
  event: fc.constantFrom<WebhookEvent>('crawl.done', 'crawl.diff_detected'),
  state: fc.constantFrom<Decided['state']>('pending', 'suppressed_no_change'),
  reopenings: fc.nat(2),
  pageCount: fc.nat(2),
})

type Decision = typeof decision extends fc.Arbitrary<infer One> ? One : never

function decidedOf(runId: number, { pageCount, ...decision }: Decision): Decided {
  const facts = {
    ...{ url: 'https://a.example/', status: 'done' as const, pageCount, errorCount: 0, startedAt: null },
    ...{ finishedAt: '2026-01-31T08:00:00.000Z', errorMessage: null },
  }
  return { runId, ...decision, facts, trace: null }
}

const addRuns = random(
  'recordRuns',
  fc.record({ runIds, projectId, target, events, at }),
  ({ transaction }, { runIds, projectId, target, events, at }) => {
    const webhook = { url: target, events, onlyChanged: false }
    const queued = { projectId, url: 'https://a.example/', settings: { webhook }, at, trace }
    return transaction(client =>
      recordRuns(
        client,
        runIds.map(runId => ({ runId, ...queued })),
      ),
    )
  },
  6,
)

const addDecisions = random(
  'recordDecisions',
  fc.record({ runIds, decision }),
  ({ transaction }, { runIds, decision }) =>
    transaction(client =>
      recordDecisions(
        client,
        runIds.map(runId => decidedOf(runId, decision)),
      ),
    ),
  8,
)

/** Calls that create rows. */
export const firstOfWebhook: readonly Random[] = [addRuns, addDecisions]

export const ofWebhook: readonly Random[] = [
  ...ofCheckpoints('webhook'),
  ...ofOutbox('webhook'),
  addRuns,
  random(
    'recordStarts',
    fc.record({ runIds, at }),
    ({ transaction }, { runIds, at }) =>
      transaction(client =>
        recordStarts(
          client,
          runIds.map(runId => ({ runId, at, trace })),
        ),
      ),
    3,
  ),
  random('pageSubscriptions', runIds, ({ transaction }, runIds) =>
    transaction(client => new PageSubscriptions().among(client, new Set(runIds))),
  ),
  random('wantedRuns', runIds, ({ transaction }, runIds) =>
    transaction(client => wantedRuns(client, runIds)),
  ),
  addDecisions,
  random(
    'forgetRuns',
    fc.record({ runIds, at }),
    ({ transaction }, { runIds, at }) =>
      transaction(client =>
        forgetRuns(
          client,
          runIds.map(runId => ({ runId, at, trace })),
        ),
      ),
    3,
  ),
  random(
    'takeWaiting',
    runIds,
    ({ transaction }, runIds) => transaction(client => takeWaiting(client, runIds)),
    1,
  ),
  random('findOverdueRuns', fc.constant(null), ({ pool }) => findOverdueRuns(pool), 1),
  random('findDuePages', fc.constant(null), ({ pool }) => findDuePages(pool), 1),
]
