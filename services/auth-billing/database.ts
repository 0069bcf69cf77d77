/** Schema `account`: who may use the service. It is the truth of projects and keys, backed up and never rebuilt. */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'
import { Proxies } from './migrations/2026-11-21-proxies.ts'

export const database = defineDatabase({ schema: 'account', entities: [], migrations: [First, Proxies] })
