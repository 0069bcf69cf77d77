/**
 * Whenever a run settles pages, they are billed. A bill is published under a name taken from its commit, before
 * the commit counts as read: a crash in between bills it again, under the same name and with the same tokens.
 */
import type { UsageCommit } from '@tidemark/contracts/usage'
import type { Projection } from '@tidemark/db/projector'
import { readRunFacts } from '../adapters/commits.ts'
import { noteEnds } from '../adapters/holds.ts'
import { learnProjects, projectsOf } from '../adapters/run-projects.ts'
import type { Waivers } from '../adapters/waivers.ts'
import { billedOn, billFor, listedIn, type RunFacts } from '../domain/billing.ts'

export type Ports = {
  /** Stores a bill in USAGE, once under a name. */
  publish: (bill: UsageCommit, projectId: number, id: string) => Promise<void>
  /** Kept when the batch is committed. */
  waivers: Waivers
  report: (error: unknown) => void
}

/**
 * Applies messages of RUNS, and throws `Unreadable`; a page of a run whose first event is missing cannot be billed and
 * is reported.
 */
export const billRuns =
  ({ publish, waivers, report }: Ports): Projection['apply'] =>
  async (client, messages) => {
    waivers.begin()
    const commits = messages.map(message => ({ sequence: message.sequence, value: readRunFacts(message) }))
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
          report(new Error(`message ${sequence} has no project to bill: run ${value.runId} is unknown`))
          return
        }
        const made = bill(value, projectId, waivers)
        if (made !== null) await publish(made, projectId, `runs-${sequence}`)
      }),
    )
  }

function bill(facts: RunFacts, projectId: number, waivers: Waivers): UsageCommit | null {
  const day = billedOn(facts)
  const made = billFor(facts, projectId, waivers.room(projectId, day))
  if (made !== null) waivers.spend(projectId, day, listedIn([made]))
  return made
}
