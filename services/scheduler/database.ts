/** Schema `scheduler`: monitors and their due minutes. It is primary data: backed up, never rebuilt. */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'
import { TickEnds } from './migrations/2026-11-21-tick-ends.ts'
import { TimeZones } from './migrations/2026-11-25-time-zones.ts'
import { Likeness } from './migrations/2026-11-28-likeness.ts'

export const database = defineDatabase({
  schema: 'scheduler',
  entities: [],
  migrations: { First, TickEnds, TimeZones, Likeness },
})
