/** The process of the gateway. */
import { runService } from '@tidemark/config/process'
import { startService } from './service.ts'

await runService(startService)
