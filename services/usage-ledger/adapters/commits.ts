/**
 * Reads the facts for bills from commits. Unknown events are skipped, and only the fields that matter for bills are
 * checked, so commits from before other fields were added stay readable.
 */
import { eventData, jsonParser } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { AnyCommit } from '@tidemark/contracts/commit'
import { unitsOfCrawl } from '@tidemark/contracts/prices'
import { Id, UrlKey } from '@tidemark/contracts/primitives'
import { SettledPage, Totals } from '@tidemark/contracts/run'
import { ModelCalled, nameOfPart, RequestServed } from '@tidemark/contracts/served'
import { runOfSubject } from '@tidemark/contracts/subjects'
import {
  ModelCallsSpent,
  ServedUnitsSpent,
  ServedUnitsWaived,
  UnitsSpent,
  UnitsWaived,
} from '@tidemark/contracts/usage'
import { Type } from 'typebox'
import type { RequestFacts, RunFacts } from '../domain/billing.ts'

const parseCommit = jsonParser(AnyCommit)
const queued = eventData(Type.Object({ projectId: Id }))
const settled = eventData(
  Type.Object({
    pages: Type.Array(Type.Pick(SettledPage, ['key', 'id', 'blocked', 'attempt', 'rendered', 'carried'])),
  }),
)
const failed = eventData(
  Type.Object({ pages: Type.Array(Type.Object({ key: UrlKey, reason: Type.String() })) }),
)
/** The reason of a page for which no fetcher has responded: no site was requested. */
const unanswered = 'given_up'
const finished = eventData(
  Type.Object({
    totals: Type.Pick(Totals, ['fetched']),
    blocked: Type.Optional(Type.Integer()),
    rendered: Type.Optional(Type.Integer()),
    carried: Type.Optional(Type.Integer()),
    dropped: Type.Optional(Type.Integer()),
  }),
)
const reopened = eventData(Type.Object({ nth: Type.Integer() }))
const deleted = eventData(
  Type.Object({ billedPages: Type.Integer(), billedCloudPages: Type.Optional(Type.Integer()) }),
)
const spentByRun = eventData(UnitsSpent.properties.data)
const served = eventData(RequestServed.properties.data)
const modelCalled = eventData(ModelCalled.properties.data)
const waivedOfRun = eventData(UnitsWaived.properties.data)
const spentByRequest = eventData(ServedUnitsSpent.properties.data)
const waivedOfRequest = eventData(ServedUnitsWaived.properties.data)
const modelCalls = eventData(ModelCallsSpent.properties.data)

/** @throws Unreadable */
export function readRunFacts({ subject, data }: StreamMessage): RunFacts {
  const { at, trace, events } = parseCommit(data)
  const facts: RunFacts = {
    runId: runOfSubject(subject).runId,
    at,
    trace,
    projectId: null,
    settled: [],
    failed: 0,
    billable: null,
    reopening: null,
  }
  for (const event of events) {
    if (event.type === 'RunQueued') facts.projectId = queued(event).projectId
    if (event.type === 'PagesSettled')
      facts.settled = [...facts.settled, ...settled(event).pages.filter(isFetched)]
    if (event.type === 'PagesFailed')
      facts.failed += failed(event).pages.filter(({ reason }) => reason !== unanswered).length
    if (event.type === 'RunFinished') {
      const end = finished(event)
      facts.billable = billableOf(end)
      facts.failed += end.dropped ?? 0
    }
    if (event.type === 'RunReopened') facts.reopening = reopened(event).nth
    if (event.type === 'RunDeleted') facts.billable ??= billedOf(deleted(event))
  }
  return facts
}

/** Pages that a fork has taken from the store are not units, so the bill does not list them. */
const isFetched = ({ carried }: { carried?: unknown }): boolean => carried === undefined

type Finished = { totals: { fetched: number }; blocked?: number; rendered?: number; carried?: number }
const billableOf = ({ totals, blocked = 0, rendered = 0, carried = 0 }: Finished) =>
  unitsOfCrawl({ fetched: totals.fetched, blocked, rendered, carried })

type Deleted = { billedPages: number; billedCloudPages?: number }
const billedOf = ({ billedPages, billedCloudPages = 0 }: Deleted) => ({
  page: billedPages,
  cloud_page: billedCloudPages,
})

/** @throws Unreadable */
export function readRequestFacts({ data }: StreamMessage): RequestFacts[] {
  const { at, trace, events } = parseCommit(data)
  const calls = events.flatMap(event => (event.type === 'ModelCalled' ? [modelCalled(event)] : []))
  return events.flatMap(event => {
    if (event.type !== 'RequestServed') return []
    const request = served(event)
    const call = calls.find(one => nameOfPart(one) === nameOfPart(request)) ?? null
    return [{ at, trace, served: request, call }]
  })
}

/** The billed and the free units of runs and requests. */
export type Spent = {
  at: string
  billed: (UnitsSpent | ServedUnitsSpent | ModelCallsSpent)['data'][]
  waived: (UnitsWaived | ServedUnitsWaived)['data'][]
}

/** @throws Unreadable */
export function readSpent({ data }: StreamMessage): Spent {
  const { at, events } = parseCommit(data)
  const spent: Spent = { at, billed: [], waived: [] }
  for (const event of events) {
    if (event.type === 'UnitsSpent') spent.billed.push(spentByRun(event))
    if (event.type === 'UnitsWaived') spent.waived.push(waivedOfRun(event))
    if (event.type === 'ServedUnitsSpent') spent.billed.push(spentByRequest(event))
    if (event.type === 'ModelCallsSpent') spent.billed.push(modelCalls(event))
    if (event.type === 'ServedUnitsWaived') spent.waived.push(waivedOfRequest(event))
  }
  return spent
}
