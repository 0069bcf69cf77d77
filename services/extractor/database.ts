/** Schema `content`: bodies, edges and facts of pages. Written here, and read through the content store alone. */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'
import { Deletions } from './migrations/2026-11-22-deletions.ts'

export const database = defineDatabase({ schema: 'content', entities: [], migrations: [First, Deletions] })
