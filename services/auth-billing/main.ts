/** The process of auth-billing. */
import { runService } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
import { startService } from './service.ts'

await runService(startService, createLog('auth-billing'))
