/** The usage of projects, requested from usage-ledger. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type {
  ReadLedger,
  ReadLedgerAnswer,
  ReadUsageAnswer,
  ReadUsageHistoryAnswer,
} from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'

/** All throw `unavailable` when usage-ledger is away. */
export type Usage = {
  /** @param since milliseconds since 1970: cloud pages from then on are counted besides */
  readUsage: (projectId: number, day: string, since?: number) => Promise<ReadUsageAnswer>
  /** Both days count. */
  readUsageHistory: (projectId: number, from: string, to: string) => Promise<ReadUsageHistoryAnswer>
  readLedger: (question: ReadLedger) => Promise<ReadLedgerAnswer>
}

const timeoutMs = 2_000
const ledgerMs = 10_000

export const openUsage = (bus: Bus): Usage => ({
  readLedger: question => call(bus, usageRpc.readLedger, question, { timeoutMs: ledgerMs }),

  readUsage(projectId, day, since) {
    const recent = since === undefined ? {} : { since: new Date(since).toISOString() }
    return call(bus, usageRpc.readUsage, { projectId, day, ...recent }, { timeoutMs })
  },

  readUsageHistory: (projectId, from, to) =>
    call(bus, usageRpc.readUsageHistory, { projectId, from, to }, { timeoutMs }),
})
