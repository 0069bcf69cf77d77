/**
 * Describes the schema `ledger`: spent and held units. Units and counters can be rebuilt from USAGE, the other tables
 * cannot.
 */
import { defineDatabase } from '@tidemark/db/database'
import { First } from './migrations/2026-11-21-first.ts'
import { Holds } from './migrations/2026-11-21-holds.ts'
import { Served } from './migrations/2026-11-21-served.ts'
import { Waived } from './migrations/2026-11-21-waived.ts'
import { CheckpointTimes } from './migrations/2026-11-22-checkpoint-times.ts'
import { CloudHolds } from './migrations/2026-11-22-cloud-holds.ts'
import { CounterDays } from './migrations/2026-11-26-counter-days.ts'
import { ModelCallCounter } from './migrations/2026-11-26-model-call-counter.ts'
import { ModelCalls } from './migrations/2026-11-26-model-calls.ts'
import { FreeResults } from './migrations/2026-11-27-free-results.ts'
import { Reopenings } from './migrations/2026-11-27-reopenings.ts'

export const database = defineDatabase({
  schema: 'ledger',
  entities: [],
  migrations: {
    First,
    Served,
    Holds,
    Waived,
    CloudHolds,
    CheckpointTimes,
    ModelCalls,
    ModelCallCounter,
    CounterDays,
    FreeResults,
    Reopenings,
  },
})
