/**
 * Requests the data of other services that the retention of a run depends on: the tier of its project from
 * auth-billing, and the runs that monitors need from scheduler.
 */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { Tier } from '@tidemark/contracts/primitives'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'

const timeoutMs = 5_000

/**
 * Returns both requests as functions. They reject if the other service does not respond, so no run is deleted on
 * missing data.
 */
export const retainedBy = (bus: Bus) => ({
  async tierOf(projectId: number): Promise<Tier | null> {
    const { terms } = await call(bus, accountsRpc.readTerms, { projectId }, { timeoutMs })
    return terms?.tier ?? null
  },
  async keptRuns(projectId: number): Promise<number[]> {
    return (await call(bus, forgetRpc.keptRuns, { projectId }, { timeoutMs })).runIds
  },
})
