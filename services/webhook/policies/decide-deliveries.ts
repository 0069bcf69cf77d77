/**
 * Decides once per run with a webhook whether its end is sent and as which event. The decision is made when the run
 * ends or, if it depends on changes, after the comparison with the previous run. One transaction has the decision, its
 * event and the checkpoint, so that neither a crash nor a repeated commit leads to a second decision.
 */
import { isCutEmpty } from '@tidemark/contracts/run-ends'
import type { Projection } from '@tidemark/db/projector'
import type { PoolClient } from 'pg'
import { type Compared, type Finished, readRunFacts } from '../adapters/commits.ts'
import { type Decided, recordDecisions } from '../adapters/decisions.ts'
import { facetOf } from '../adapters/facet.ts'
import { forgetRuns, recordRuns, recordStarts, type WantedRun, wantedRuns } from '../adapters/runs.ts'
import { recordWaiting, takeWaiting } from '../adapters/waiting-runs.ts'
import { decide, decideByChanges, type Ending, toBeCompared } from '../domain/decision.ts'
import type { Difference, Facts } from '../domain/message.ts'
import type { Waiting } from '../turns/outstanding.ts'

/** The decisions of a batch, valid after its transaction is committed. */
export type Decisions = { toDeliver: Waiting[]; outboxIds: number[] }

export type Ports = {
  /** Called within the transaction, which may still fail and be repeated. */
  decided: (decisions: Decisions) => void
  /** Maximum wait for a comparison. */
  compareMs: number
}

export const noDecisions = (): Decisions => ({ toDeliver: [], outboxIds: [] })

export const decideDeliveries =
  ({ decided, compareMs }: Ports): Projection['apply'] =>
  async (client, messages) => {
    const { queued, started, finished, compared, deleted } = readRunFacts(messages)
    await recordRuns(client, queued)
    await recordStarts(client, started)
    const decisions = noDecisions()
    await decideEndings(client, finished, compareMs, decisions)
    await decideCompared(client, new Map(compared.map(one => [one.runId, one])), decisions)
    await forgetRuns(client, deleted, facetOf)
    decided(decisions)
  }

/** Decides in the caller's transaction for runs that were not compared in time. */
export const decideUncompared = (client: PoolClient, runIds: readonly number[], into: Decisions) =>
  decideCompared(client, new Map(runIds.map(runId => [runId, null])), into)

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
  for (const ending of finished) {
    const run = wanted.get(ending.runId)
    if (run === undefined || ending.status === 'cancelled') continue
    const facts = factsOf(run, { ...ending, status: ending.status })
    const { trace = null, reopenings = 0 } = ending
    const end = { runId: run.runId, facts, trace, reopenings }
    const decision = decisionOn(run, isCutEmpty(ending) ? 'empty' : ending.status, reopenings)
    if (decision === toBeCompared) await recordWaiting(client, end, compareMs)
    else if (decision !== null) decided.push({ ...run, ...decision, ...end })
  }
  await record(client, decided, into)
}

/** A run is compared once, at its first end. After a reopening its changes are unknown. */
function decisionOn(run: WantedRun, ending: Ending, reopenings: number) {
  const decision = decide(run, ending)
  const isUnknown = decision === toBeCompared && reopenings > 0 && run.isCompared
  return isUnknown ? decideByChanges(run, null) : decision
}

async function decideCompared(
  client: PoolClient,
  compared: ReadonlyMap<number, Compared | null>,
  into: Decisions,
): Promise<void> {
  const runIds = [...compared.keys()]
  const waiting = await takeWaiting(client, runIds)
  const wanted = await wantedRuns(client, runIds)
  const decided: Decided[] = []
  for (const { runId, facts, trace, reopenings = 0 } of waiting) {
    const run = wanted.get(runId)
    if (run === undefined) continue
    const difference = differenceOf(compared.get(runId) ?? null)
    const decision = decideByChanges(run, difference && changesIn(difference))
    if (decision === null) continue
    const hasDifference = decision.event === 'crawl.diff_detected' && difference !== null
    decided.push({
      ...run,
      ...decision,
      facts: hasDifference ? { ...facts, difference } : facts,
      trace,
      reopenings,
    })
  }
  await record(client, decided, into)
}

async function record(client: PoolClient, decided: readonly Decided[], into: Decisions): Promise<void> {
  for (const { outboxId, state, isFirst, ...delivery } of await recordDecisions(client, decided)) {
    into.outboxIds.push(outboxId)
    // The message of a later delivery has another number, with which the search announces it.
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
