/** Runs the extractor as a process. */
import { runProcess } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
import { startService } from './service.ts'

await runProcess(startService, createLog('extractor'))
