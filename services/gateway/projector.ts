/** The process of the projector. */
import { runService } from '@tidemark/config/process'
import { startService } from './projector-service.ts'

await runService(startService)
