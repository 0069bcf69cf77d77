/** What a run's commit costs: one unit for each page that it settled, on the UTC day on which it was settled. */
import type { UrlKey } from '@tidemark/contracts/primitives'
import type { UsageCommit } from '@tidemark/contracts/usage'

/** What a commit of a run says, as far as it concerns money. */
export type RunFacts = {
  runId: number
  at: string
  trace: string | undefined
  /** Whose run it is: said by its first commit only. */
  projectId: number | null
  /** Without those that cost nothing. */
  settled: readonly { key: UrlKey; id: number }[]
}

/** The bill for the pages that were settled. */
export const billFor = ({ runId, at, trace, settled }: RunFacts, projectId: number): UsageCommit => ({
  at,
  ...(trace !== undefined && { trace }),
  events: [
    {
      type: 'UnitsSpent',
      data: {
        projectId,
        runId,
        kind: 'page',
        day: dayOf(at),
        units: settled.map(({ key, id }) => ({ token: tokenOf(runId, key), pageId: id })),
      },
    },
  ],
})

/** A page of a run is billed once: whoever bills it again comes to the same token. */
const tokenOf = (runId: number, key: UrlKey) => `${runId}:${key}`

/** `YYYY-MM-DD` in UTC. */
const dayOf = (at: string) => new Date(at).toISOString().slice(0, 10)
