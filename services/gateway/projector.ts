/** The process of the projector. */
import { runService } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
import { startService } from './projector-service.ts'

await runService(startService, createLog('projector'))
