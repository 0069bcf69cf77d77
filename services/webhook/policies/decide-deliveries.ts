/**
 * Decides once per run with a webhook whether its end is sent and as which event. The decision is made when the run
 * ends or, if it depends on changes, after the comparison with the previous run and the judgement of an intent. One
 * transaction stores the decision, its event and the checkpoint, so that neither a crash nor a repeated commit leads to
 * a second decision. Notices of a run are decided in the same transactions.
 */
import type { IntentJudgement } from '@tidemark/contracts/diff'
import { isCutEmpty } from '@tidemark/contracts/run-ends'
import type { Projection } from '@tidemark/db/projector'
import type { PoolClient } from 'pg'
import { type Compared, type Finished, readRunFacts } from '../adapters/commits.ts'
import { type Decided, recordDecisions } from '../adapters/decisions.ts'
import { type Notice, recordNotices } from '../adapters/notices.ts'
import { PageSubscriptions } from '../adapters/page-batching.ts'
import { forgetRuns, recordRuns, recordStarts, type WantedRun, wantedRuns } from '../adapters/runs.ts'
import { recordJudging, recordWaiting, takeWaiting, type WaitingEnd } from '../adapters/waiting-runs.ts'
import type { Waiting } from '../concurrency/outstanding.ts'
import { decide, decideByChanges, type Ending, toBeCompared } from '../domain/decision.ts'
import type { Difference, Facts } from '../domain/message.ts'
import { decidePages, decideStarts } from './decide-notices.ts'

/** The decisions of a batch, valid after its transaction is committed. */
export type Decisions = { toDeliver: Waiting[]; outboxIds: number[] }

export type Ports = {
  /** Called within the transaction, which may still fail and be repeated. */
  decided: (decisions: Decisions) => void
  /** Maximum wait for a comparison. */
  compareMs: number
  /** Maximum wait for the judgement of an intent. */
  judgeMs: number
  /** Maximum wait of fetched pages for others of their batch. */
  pagesMs: number
}

export const noDecisions = (): Decisions => ({ toDeliver: [], outboxIds: [] })

export function decideDeliveries({ decided, compareMs, judgeMs, pagesMs }: Ports): Projection['apply'] {
  const subscriptions = new PageSubscriptions()
  return async (client, messages) => {
    const facts = readRunFacts(messages)
    const { queued, started, finished, compared, judged, deleted } = facts
    await recordRuns(client, queued)
    subscriptions.record(queued)
    const decisions = noDecisions()
    decisions.toDeliver.push(...(await decideStarts(client, await recordStarts(client, started))))
    decisions.toDeliver.push(...(await decidePages(client, facts, subscriptions, pagesMs)))
    await decideEndings(client, finished, compareMs, decisions)
    await decideCompared(client, new Map(compared.map(one => [one.runId, one])), judgeMs, decisions)
    await decideJudged(client, new Map(judged.map(one => [one.runId, one.judgement])), decisions)
    await forgetRuns(client, deleted)
    decided(decisions)
  }
}

/** Decides in the caller's transaction for a run that was not compared, or not judged, in time. */
export async function decideOverdue(client: PoolClient, runId: number, into: Decisions): Promise<void> {
  const { waiting, wanted } = await taken(client, [runId])
  const decided = waiting.flatMap(end => {
    const isJudging = end.difference !== undefined
    const why = isJudging ? 'timeout' : 'not_compared'
    return decisionAfter(wanted.get(end.runId), end, end.difference ?? null, unknown(why))
  })
  await recordInto(client, decided, into)
}

async function decideEndings(
  client: PoolClient,
  finished: readonly Finished[],
  compareMs: number,
  into: Decisions,
): Promise<void> {
  const wanted = await wantedRuns(
    client,
    finished.map(({ runId }) => runId),
  )
  const decided: Decided[] = []
  const failures: Notice[] = []
  for (const ending of finished) {
    const run = wanted.get(ending.runId)
    if (run === undefined || ending.status === 'cancelled') continue
    const why = run.previousRunId === null ? 'no_baseline' : 'not_compared'
    const reported = factsOf(run, { ...ending, status: ending.status })
    failures.push(...failureOf(run, ending, reported))
    const facts = judgedFacts(run, reported, unknown(why))
    const { trace = null, reopenings = 0 } = ending
    const end = { runId: run.runId, facts, trace, reopenings }
    const decision = decisionOn(run, isCutEmpty(ending) ? 'empty' : ending.status, reopenings)
    if (decision === toBeCompared) await recordWaiting(client, end, compareMs)
    else if (decision !== null) decided.push({ ...run, ...decision, ...end })
  }
  into.toDeliver.push(...(await recordNotices(client, failures)))
  await recordInto(client, decided, into)
}

/** Returns the notice of a failure, if the run selects it. */
function failureOf(run: WantedRun, ending: Finished, facts: Facts): Notice[] {
  if (facts.status !== 'failed' || !run.notices.includes('crawl.failed')) return []
  const { runId, projectId, target } = run
  const { trace = null, reopenings = 0 } = ending
  const about = { runId, ...facts }
  return [{ projectId, target, trace, event: 'crawl.failed', facts: about, reopenings }]
}

/** Returns the decision at an end. A run is compared once, so after a reopening its changes are unknown. */
function decisionOn(run: WantedRun, ending: Ending, reopenings: number) {
  const decision = decide(run, ending)
  const isUnknown = decision === toBeCompared && reopenings > 0 && run.isCompared
  return isUnknown ? decideByChanges(run, null) : decision
}

async function decideCompared(
  client: PoolClient,
  compared: ReadonlyMap<number, Compared>,
  judgeMs: number,
  into: Decisions,
): Promise<void> {
  const { waiting, wanted } = await taken(client, [...compared.keys()])
  const decided: Decided[] = []
  for (const end of waiting) {
    const run = wanted.get(end.runId)
    const difference = differenceOf(compared.get(end.runId) ?? null)
    const hasChanges = difference !== null && changesIn(difference) > 0
    if (run?.hasIntent && hasChanges) await recordJudging(client, { ...end, difference }, judgeMs)
    else
      decided.push(
        ...decisionAfter(run, end, difference, difference === null ? unknown('not_compared') : noChange),
      )
  }
  await recordInto(client, decided, into)
}

/** Decides for runs whose changes are judged. Judgements for which no run waits any more are ignored. */
async function decideJudged(
  client: PoolClient,
  judged: ReadonlyMap<number, IntentJudgement>,
  into: Decisions,
): Promise<void> {
  const { waiting, wanted } = await taken(client, [...judged.keys()])
  const decided = waiting.flatMap(end =>
    decisionAfter(
      wanted.get(end.runId),
      end,
      end.difference ?? null,
      judged.get(end.runId) ?? unknown('not_compared'),
    ),
  )
  await recordInto(client, decided, into)
}

async function taken(client: PoolClient, runIds: readonly number[]) {
  return { waiting: await takeWaiting(client, runIds), wanted: await wantedRuns(client, runIds) }
}

/** Returns the decision after the comparison and the judgement; empty: nothing is sent. */
function decisionAfter(
  run: WantedRun | undefined,
  { runId, facts, trace, reopenings = 0 }: WaitingEnd,
  difference: Difference | null,
  judgement: IntentJudgement,
): Decided[] {
  if (run === undefined) return []
  const decision = decideByChanges(run, difference && changesIn(difference), judgement.matched)
  if (decision === null) return []
  const hasDifference = decision.event === 'crawl.diff_detected' && difference !== null
  const comparedFacts = hasDifference ? { ...facts, difference } : facts
  return [
    { ...run, ...decision, runId, facts: judgedFacts(run, comparedFacts, judgement), trace, reopenings },
  ]
}

const unknown = (reason: string): IntentJudgement => ({ matched: null, reason, quotes: [] })
/** The judgement of a run without changes. No model is called for it. */
const noChange: IntentJudgement = { matched: false, reason: 'Nothing has changed.', quotes: [] }

const judgedFacts = ({ hasIntent }: WantedRun, facts: Facts, intent: IntentJudgement): Facts =>
  hasIntent ? { ...facts, intent } : facts

/** Records decisions in the caller's transaction, and adds them to those of the batch. */
export async function recordInto(
  client: PoolClient,
  decided: readonly Decided[],
  into: Decisions,
): Promise<void> {
  for (const { outboxId, state, isFirst, ...delivery } of await recordDecisions(client, decided)) {
    into.outboxIds.push(outboxId)
    // Later deliveries have another message id; the search of announce-due.ts announces them.
    if (state === 'pending' && isFirst) into.toDeliver.push({ ...delivery, isRetry: false })
  }
}

const differenceOf = (compared: Compared | null): Difference | null =>
  compared?.counts ? { previousRunId: compared.previousRunId, ...compared.counts } : null

const changesIn = ({ added, removed, changed }: Difference) => added + removed + changed

type Reported = Finished & { status: Facts['status'] }

const factsOf = ({ url, startedAt }: WantedRun, { status, totals, at, errorMessage }: Reported): Facts => ({
  url,
  status,
  pageCount: totals.fetched,
  errorCount: totals.failed,
  startedAt,
  finishedAt: at,
  errorMessage,
})
