/**
 * Describes the schema `webhook`. It is primary data: backed up and never rebuilt, because a lost decision would be
 * made again.
 */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'
import { Redelivery } from './migrations/2026-11-21-redelivery.ts'
import { Attempts } from './migrations/2026-11-22-attempts.ts'
import { CheckpointTimes } from './migrations/2026-11-22-checkpoint-times.ts'
import { Reopenings } from './migrations/2026-11-25-reopenings.ts'
import { Intents } from './migrations/2026-11-26-intents.ts'
import { Notices } from './migrations/2026-11-26-notices.ts'

export const database = defineDatabase({
  schema: 'webhook',
  entities: [],
  migrations: { First, Redelivery, Attempts, CheckpointTimes, Reopenings, Intents, Notices },
})
