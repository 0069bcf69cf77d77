/** The process of auth-billing. */
import { runService } from '@tidemark/config/process'
import { startService } from './service.ts'

await runService(startService)
