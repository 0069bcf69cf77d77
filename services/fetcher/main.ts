/** Runs the fetcher as a process. */
import { runService } from '@tidemark/config/process'
import { createLog } from '@tidemark/telemetry/log'
import { startService } from './service.ts'

await runService(startService, createLog('fetcher'))
