/**
 * Whenever a run with a webhook is done or has failed, it is decided once whether and as what that is told. The
 * decision, its event and the checkpoint are one transaction, so neither a crash nor a second delivery of a commit
 * makes another.
 */
import type { Projection } from '@tidemark/db/projector'
import { type Finished, readRunFacts } from '../adapters/commits.ts'
import { recordDecision } from '../adapters/decisions.ts'
import { facetOf } from '../adapters/facet.ts'
import { forgetRuns, noteStarts, rememberRuns, type WantedRun, wantedRuns } from '../adapters/runs.ts'
import { decide } from '../domain/decision.ts'
import type { Facts } from '../domain/message.ts'

/** What a batch has decided; true once its transaction is committed. */
export type Decisions = { toDeliver: number[]; outboxIds: number[] }

export type Ports = {
  /** Told within the transaction, which may yet fail and be repeated. */
  decided: (decisions: Decisions) => void
  report: (error: unknown) => void
}

export const decideDeliveries =
  ({ decided, report }: Ports): Projection['apply'] =>
  async (client, messages) => {
    const { queued, started, finished, deleted } = readRunFacts(messages, report)
    await rememberRuns(client, queued)
    await noteStarts(client, started)
    const wanted = await wantedRuns(
      client,
      finished.map(({ runId }) => runId),
    )
    const decisions: Decisions = { toDeliver: [], outboxIds: [] }
    for (const ending of finished) {
      const run = wanted.get(ending.runId)
      const decision = run ? decide(run, ending.status) : null
      if (run === undefined || decision === null || ending.status === 'cancelled') continue
      const facts = factsOf(run, { ...ending, status: ending.status })
      const trace = ending.trace ?? null
      const outboxId = await recordDecision(client, { ...run, ...decision, facts, trace })
      if (outboxId === null) continue
      decisions.outboxIds.push(outboxId)
      if (decision.state === 'pending') decisions.toDeliver.push(run.runId)
    }
    await forgetRuns(client, deleted, facetOf)
    decided(decisions)
  }

type Told = Finished & { status: Facts['status'] }

const factsOf = ({ url, startedAt }: WantedRun, { status, totals, at, errorMessage }: Told): Facts => ({
  url,
  status,
  pageCount: totals.fetched,
  errorCount: totals.failed,
  startedAt,
  finishedAt: at,
  errorMessage,
})
