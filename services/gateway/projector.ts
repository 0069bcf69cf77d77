/** The process of the projector. */
import { runProcess } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
import { startService } from './projector-service.ts'

await runProcess(startService, createLog('projector'))
