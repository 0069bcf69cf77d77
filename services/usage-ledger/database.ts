/** Schema `ledger`: what was spent. Units and counters can be rebuilt from USAGE, nothing else can. */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'

export const database = defineDatabase({ schema: 'ledger', entities: [], migrations: [First] })
