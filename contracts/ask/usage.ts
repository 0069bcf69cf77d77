/** Questions to usage-ledger. */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'

export const ReadUsage = Type.Object({ projectId: Id, day: Type.String({ format: 'date' }) })
export type ReadUsage = Static<typeof ReadUsage>

const Counters = Type.Object({
  pages: Type.Integer(),
  cloudPages: Type.Integer(),
  cloudCostUsd: Type.Number(),
})

export const ReadUsageAnswer = Type.Object({ today: Counters, month: Counters })
export type ReadUsageAnswer = Static<typeof ReadUsageAnswer>
