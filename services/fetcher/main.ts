/** The fetcher's process. */
import { runService } from '@tidemark/config/process'
import { startService } from './service.ts'

await runService(startService)
