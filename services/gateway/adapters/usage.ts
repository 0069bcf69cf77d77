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
import type { CloudPorts } from '../routes/cloud/ports.ts'
import type { UsagePorts } from '../routes/usage.ts'
import type { LedgerPorts } from '../routes/usage-ledger.ts'

const timeoutMs = 2_000
const ledgerMs = 10_000

type Asked = Pick<CloudPorts, 'readUsage'> &
  Pick<UsagePorts, 'readUsageHistory'> &
  Pick<LedgerPorts, 'readLedger'>

/** All throw `unavailable` when usage-ledger is away. */
export const openUsage = (bus: Bus): Asked => ({
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
