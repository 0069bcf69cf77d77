/**
 * Bills the pages that runs settle. A bill has a message id from its commit and is published before the commit counts
 * as read. After a crash in between, the commit is billed again with the same id and tokens.
 */
import type { UsageCommit } from '@tidemark/contracts/usage'
import type { Projection } from '@tidemark/db/projector'
import type { PoolClient } from 'pg'
import { readRunFacts } from '../adapters/commits.ts'
import { countFree } from '../adapters/free-results.ts'
import { reopenRuns, storeEnds } from '../adapters/holds.ts'
import { projectsOf, storeProjects } from '../adapters/run-projects.ts'
import type { Waivers } from '../adapters/waivers.ts'
import { billedOn, billFor, freeOfRun, listedIn, type RunFacts } from '../domain/billing.ts'

export type Ports = {
  /** Stores a bill in USAGE. A second bill with the same message id is dropped. */
  publish: (bill: UsageCommit, projectId: number, id: string) => Promise<void>
  /** Limits the listed free units. The caller calls `keep` when the batch is committed. */
  waivers: Waivers
  report: (error: unknown) => void
}

/**
 * Applies messages of RUNS. Pages of a run whose first event is missing cannot be billed and are reported.
 * @throws Unreadable
 */
export const billRuns =
  ({ publish, waivers, report }: Ports): Projection['apply'] =>
  async (client, messages) => {
    waivers.begin()
    const commits = messages.map(message => ({ sequence: message.sequence, ...readRunFacts(message) }))
    await storeProjects(
      client,
      commits.flatMap(({ runId, projectId }) => (projectId === null ? [] : [{ runId, projectId }])),
    )
    await storeStates(client, commits)
    const due = commits.filter(({ settled, failed }) => settled.length > 0 || failed > 0)
    const projects = await projectsOf(client, [...new Set(due.map(({ runId }) => runId))])
    const billed = due.flatMap(facts => {
      const projectId = projects.get(facts.runId)
      if (projectId !== undefined) return [{ ...facts, projectId }]
      report(new Error(`message ${facts.sequence} has no project to bill: run ${facts.runId} is unknown`))
      return []
    })
    const publishing = billed.map(async facts => {
      const made = bill(facts, facts.projectId, waivers)
      if (made !== null) await publish(made, facts.projectId, `runs-${facts.sequence}`)
    })
    await Promise.all(publishing)
    // This statement is the last one, because the rows that it changes stay locked until the transaction ends.
    await countFree(
      client,
      billed.map(facts => freeOfRun(facts, facts.projectId)),
    )
  }

/** Stores the last end of each run, and then which runs are reopened after it. */
async function storeStates(client: PoolClient, facts: readonly RunFacts[]): Promise<void> {
  const ends = new Map<number, { runId: number; billable: NonNullable<RunFacts['billable']> }>()
  const reopened = new Map<number, { runId: number; nth: number }>()
  for (const { runId, billable, reopening } of facts) {
    if (reopening !== null) reopened.set(runId, { runId, nth: reopening })
    if (billable === null) continue
    ends.set(runId, { runId, billable })
    reopened.delete(runId)
  }
  await storeEnds(client, [...ends.values()])
  await reopenRuns(client, [...reopened.values()])
}

function bill(facts: RunFacts, projectId: number, waivers: Waivers): UsageCommit | null {
  const day = billedOn(facts)
  const made = billFor(facts, projectId, waivers.remaining(projectId, day))
  if (made !== null) waivers.spend(projectId, day, listedIn([made]))
  return made
}
