/** Requests the usage of projects from usage-ledger. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type {
  ReadLedger,
  ReadLedgerResponse,
  ReadUsageHistoryResponse,
  ReadUsageResponse,
} from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'

/** Every function throws `unavailable` if usage-ledger does not respond. */
export type Usage = {
  /** Reads the usage of a day and its month. Requests of the last moments may be missing. */
  readUsage: (projectId: number, day: string) => Promise<ReadUsageResponse>
  /**
   * Reads the same with all requests that have a response, unless they take more than a second to be counted.
   * @param since milliseconds since 1970: also count the cloud pages since this time
   */
  readCurrentUsage: (projectId: number, day: string, since?: number) => Promise<ReadUsageResponse>
  /** Reads the usage of each day, both days included. */
  readUsageHistory: (projectId: number, from: string, to: string) => Promise<ReadUsageHistoryResponse>
  readLedger: (request: ReadLedger) => Promise<ReadLedgerResponse>
}

const timeoutMs = 2_000
const ledgerMs = 10_000

export const openUsage = (bus: Bus): Usage => ({
  readLedger: request => call(bus, usageRpc.readLedger, request, { timeoutMs: ledgerMs }),

  readUsage: (projectId, day) => call(bus, usageRpc.readUsage, { projectId, day }, { timeoutMs }),

  readCurrentUsage(projectId, day, since) {
    const recent = since === undefined ? {} : { since: new Date(since).toISOString() }
    return call(bus, usageRpc.readUsage, { projectId, day, isCurrent: true, ...recent }, { timeoutMs })
  },

  readUsageHistory: (projectId, from, to) =>
    call(bus, usageRpc.readUsageHistory, { projectId, from, to }, { timeoutMs }),
})
