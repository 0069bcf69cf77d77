/**
 * Reads the facts that webhooks need from the commits of runs. Unknown events are skipped, and only the used fields of
 * known events are validated, so that events from before a new field stay readable.
 */
import { eventData, jsonParser } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { AnyCommit } from '@tidemark/contracts/commit'
import { DiffCounts, IntentJudgement } from '@tidemark/contracts/diff'
import { textOf } from '@tidemark/contracts/plain-text'
import { Id, oneOf, orNull } from '@tidemark/contracts/primitives'
import { SettledPage, Totals } from '@tidemark/contracts/run'
import { MonitorIntent, MonitorTick, WebhookTarget } from '@tidemark/contracts/run-settings'
import { runOfSubject } from '@tidemark/contracts/subjects'
import { type Static, Type } from 'typebox'
import type { Ending } from '../domain/decision.ts'
import type { FetchedPage } from '../domain/message.ts'

/** A run, and the time and trace of a commit about it. */
export type Stamped = { runId: number; at: string; trace: string | undefined }
export type Queued = Stamped & Static<typeof queuedData>
export type Finished = Stamped & Static<typeof finishedData> & { status: Exclude<Ending, 'empty'> }
/** Settled pages, which are validated only for runs that select them. */
export type Settled = { runId: number; sequence: number; event: AnyEvent }
type AnyEvent = AnyCommit['events'][number]
type Judged = Stamped & { judgement: IntentJudgement }
/** `counts` is null if the previous run no longer exists. */
export type Compared = Stamped & { previousRunId: number; counts: Static<typeof counts> | null }

/** The facts of a batch, each kind in the order of the stream. */
const noFacts = () => ({
  queued: [] as Queued[],
  started: [] as Stamped[],
  settled: [] as Settled[],
  finished: [] as Finished[],
  compared: [] as Compared[],
  judged: [] as Judged[],
  deleted: [] as Stamped[],
})
type RunFacts = ReturnType<typeof noFacts>

const queuedData = Type.Object({
  projectId: Id,
  url: Type.String(),
  settings: Type.Object({ webhook: Type.Optional(WebhookTarget), intent: Type.Optional(MonitorIntent) }),
  tick: Type.Optional(Type.Pick(MonitorTick, ['previousRunId'])),
})
const finishedData = Type.Object({
  status: oneOf(['done', 'failed', 'cancelled']),
  stopReason: Type.String(),
  errorMessage: orNull(Type.String()),
  totals: Type.Pick(Totals, ['fetched', 'failed']),
  reopenings: Type.Optional(Type.Integer()),
})
const counts = Type.Pick(DiffCounts, ['added', 'removed', 'changed', 'unchanged'])

const parseCommit = jsonParser(AnyCommit)
const queued = eventData(queuedData)
const finished = eventData(finishedData)
const compared = eventData(Type.Object({ previousRunId: Id, counts }))
const judgement = eventData(IntentJudgement)
const settled = eventData(
  Type.Object({
    pages: Type.Array(
      Type.Pick(SettledPage, ['id', 'url', 'status', 'bytes', 'title', 'contentHash', 'fetchedAt']),
    ),
  }),
)
const notCompared = eventData(Type.Object({ previousRunId: Id }))

/** Throws `Unreadable`. */
export function readRunFacts(messages: readonly StreamMessage[]): RunFacts {
  const facts = noFacts()
  for (const message of messages) gather(facts, message)
  return facts
}

function gather(facts: RunFacts, { subject, sequence, data }: StreamMessage): void {
  const { at, trace, events } = parseCommit(data)
  const stamp = { runId: runOfSubject(subject).runId, at, trace }
  for (const event of events) {
    if (event.type === 'RunQueued') facts.queued.push({ ...stamp, ...queued(event) })
    if (event.type === 'RunStarted') facts.started.push(stamp)
    if (event.type === 'PagesSettled') facts.settled.push({ runId: stamp.runId, sequence, event })
    if (event.type === 'RunFinished') facts.finished.push({ ...stamp, ...finished(event) })
    if (event.type === 'RunCompared') facts.compared.push({ ...stamp, ...compared(event) })
    if (event.type === 'RunNotCompared')
      facts.compared.push({ ...stamp, ...notCompared(event), counts: null })
    if (event.type === 'IntentJudged') facts.judged.push({ ...stamp, judgement: judgementIn(event) })
    if (event.type === 'RunDeleted') facts.deleted.push(stamp)
  }
}

/** Returns the judgement without the other fields of the event. */
function judgementIn(event: Parameters<typeof judgement>[0]): IntentJudgement {
  const { matched, reason, quotes } = judgement(event)
  return { matched, reason, quotes }
}

/** Returns the pages of an event in order. Throws `Unreadable`. */
export const pagesOf = ({ event }: Settled): FetchedPage[] =>
  settled(event).pages.map(({ id, url, status, bytes, title, contentHash, fetchedAt }) => ({
    ...{ id, url: textOf(url), status, bytes, title: textOf(title), contentHash, fetchedAt },
  }))
