/** Schema `coordinator`. Its statements are single and its transactions short: here caps and ids are decided. */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'
import { Deletions } from './migrations/2026-11-22-deletions.ts'

export const database = defineDatabase({
  schema: 'coordinator',
  entities: [],
  migrations: [First, Deletions],
})
