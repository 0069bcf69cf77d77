/**
 * Whenever a run settles pages, they are billed. A bill is published under a name taken from its commit, before
 * the commit counts as read: a crash in between bills it again, under the same name and with the same tokens.
 */
import type { UsageCommit } from '@tidemark/contracts/usage'
import type { Projection } from '@tidemark/db/projector'
import { readRunFacts } from '../adapters/commits.ts'
import { noteEnds } from '../adapters/holds.ts'
import { readable } from '../adapters/readable.ts'
import { learnProjects, projectsOf } from '../adapters/run-projects.ts'
import { billFor, type MayList } from '../domain/billing.ts'

export type Ports = {
  /** Stores a bill in USAGE, once under a name. */
  publish: (bill: UsageCommit, projectId: number, id: string) => Promise<void>
  mayList: MayList
  report: (error: unknown) => void
}

/** Applies messages of RUNS; a page of a run whose first event is missing cannot be billed and is reported. */
export const billRuns =
  ({ publish, mayList, report }: Ports): Projection['apply'] =>
  async (client, messages) => {
    const commits = readable(messages, readRunFacts, report)
    await learnProjects(
      client,
      commits.flatMap(({ value: { runId, projectId } }) =>
        projectId === null ? [] : [{ runId, projectId }],
      ),
    )
    const billed = commits.filter(({ value }) => value.settled.length > 0)
    await noteEnds(
      client,
      commits.flatMap(({ value: { runId, billable } }) => (billable === null ? [] : [{ runId, billable }])),
    )
    const projects = await projectsOf(client, [...new Set(billed.map(({ value }) => value.runId))])
    await Promise.all(
      billed.map(async ({ sequence, value }) => {
        const projectId = projects.get(value.runId)
        if (projectId === undefined) {
          report(new Error(`message ${sequence} bills nobody: run ${value.runId} is unknown`))
          return
        }
        const bill = billFor(value, projectId, mayList)
        if (bill !== null) await publish(bill, projectId, `runs-${sequence}`)
      }),
    )
  }
