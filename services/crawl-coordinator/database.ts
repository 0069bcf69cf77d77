/** Declares the schema `coordinator`. Its transactions are short: they decide limits and ids. */
import { defineDatabase } from '@tidemark/db/database'
import { Deletions } from './migrations/2026-11-21-deletions.ts'
import { First } from './migrations/2026-11-21-first.ts'
import { Keys } from './migrations/2026-11-21-keys.ts'
import { Likeness } from './migrations/2026-11-21-likeness.ts'
import { Checkpoint } from './migrations/2026-11-22-checkpoint.ts'
import { Reopenings } from './migrations/2026-11-25-reopenings.ts'
import { LoginSessions } from './migrations/2026-11-26-login-sessions.ts'
import { RequestBytes } from './migrations/2026-11-27-request-bytes.ts'

export const database = defineDatabase({
  schema: 'coordinator',
  entities: [],
  migrations: { First, Deletions, Likeness, Keys, Checkpoint, Reopenings, LoginSessions, RequestBytes },
})
