/** Requests from the coordinator how a run treated its hosts, and which URLs it did not request. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import * as explainRpc from '@tidemark/contracts/rpc/explain'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'

export type RunHosts = NonNullable<explainRpc.GetHostsResponse['hosts']>

/** Each function returns null if the project has no such run. */
export type HostPolicies = {
  hosts(run: OfRun, window: { limit: number; offset: number }): Promise<RunHosts | null>
  coverage(run: OfRun): Promise<Coverage | null>
}

/** The coordinator may have to read a long run from its first event. */
const timeoutMs = explainRpc.explainTimeoutMs

export const openHostPolicies = (bus: Bus): HostPolicies => ({
  hosts: async (run, window) =>
    (await call(bus, explainRpc.getHosts, { ...run, ...window }, { timeoutMs })).hosts,
  coverage: async run => (await call(bus, explainRpc.getCoverage, run, { timeoutMs })).coverage,
})
