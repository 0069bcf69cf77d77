/** What others know of how long a run is kept: auth-billing its project's tier, scheduler what its monitors need. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { ReadTerms, ReadTermsAnswer } from '@tidemark/contracts/ask/accounts'
import type { KeptRuns, KeptRunsAnswer } from '@tidemark/contracts/ask/forget'
import type { Tier } from '@tidemark/contracts/primitives'
import { asks } from '@tidemark/contracts/subjects'

const timeoutMs = 5_000

/** Both throw where nobody answers: what is not known to be over is not deleted. */
export const retainedBy = (bus: Bus) => ({
  async tierOf(projectId: number): Promise<Tier | null> {
    const { terms } = await ask<ReadTerms, ReadTermsAnswer>(bus, asks.readTerms, { projectId }, { timeoutMs })
    return terms?.tier ?? null
  },
  async keptRuns(projectId: number): Promise<number[]> {
    return (await ask<KeptRuns, KeptRunsAnswer>(bus, asks.keptRuns, { projectId }, { timeoutMs })).runIds
  },
})
