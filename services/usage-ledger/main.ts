/** Runs usage-ledger as a process of its own. */
import { runProcess } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
import { startService } from './service.ts'

await runProcess(startService, createLog('usage-ledger'))
