/** The process of usage-ledger. */
import { runService } from '@tidemark/config/process'
import { startService } from './service.ts'

await runService(startService)
