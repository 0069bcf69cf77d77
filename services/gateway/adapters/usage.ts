/** What projects have used, asked of usage-ledger. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  ReadUsage,
  ReadUsageAnswer,
  ReadUsageHistory,
  ReadUsageHistoryAnswer,
} from '@tidemark/contracts/ask/usage'
import { asks } from '@tidemark/contracts/subjects'
import type { UsagePorts } from '../routes/usage.ts'

const timeoutMs = 2_000

/** Both throw `unavailable` when usage-ledger is away. */
export const openUsage = (bus: Bus): Pick<UsagePorts, 'readUsage' | 'readUsageHistory'> => ({
  readUsage: (projectId, day) =>
    ask<ReadUsage, ReadUsageAnswer>(bus, asks.readUsage, { projectId, day }, { timeoutMs }),

  readUsageHistory: (projectId, from, to) =>
    ask<ReadUsageHistory, ReadUsageHistoryAnswer>(
      bus,
      asks.readUsageHistory,
      { projectId, from, to },
      { timeoutMs },
    ),
})
