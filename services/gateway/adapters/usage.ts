/** What projects have used, asked of usage-ledger. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  ReadLedger,
  ReadLedgerAnswer,
  ReadUsage,
  ReadUsageAnswer,
  ReadUsageHistory,
  ReadUsageHistoryAnswer,
} from '@tidemark/contracts/ask/usage'
import { asks } from '@tidemark/contracts/subjects'

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
  readLedger: question =>
    ask<ReadLedger, ReadLedgerAnswer>(bus, asks.readLedger, question, { timeoutMs: ledgerMs }),

  readUsage(projectId, day, since) {
    const recent = since === undefined ? {} : { since: new Date(since).toISOString() }
    return ask<ReadUsage, ReadUsageAnswer>(bus, asks.readUsage, { projectId, day, ...recent }, { timeoutMs })
  },

  readUsageHistory: (projectId, from, to) =>
    ask<ReadUsageHistory, ReadUsageHistoryAnswer>(
      bus,
      asks.readUsageHistory,
      { projectId, from, to },
      { timeoutMs },
    ),
})
