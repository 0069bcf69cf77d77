/** `/v1/usage`: what was spent, beside what may be (specification, Usage). */
import { type Static, Type } from 'typebox'
import { Tier } from '../primitives.ts'

const cap = Type.Union([Type.Integer(), Type.Null()], { description: 'Null is without limit.' })
const percent = Type.Union([Type.Number(), Type.Null()], { description: 'Of the cap; null without one.' })

export const UsageView = Type.Object(
  {
    tier: Tier,
    caps: Type.Object({ pages_per_day: cap, pages_per_month: cap, cloud_pages_per_day: cap }),
    today: Type.Object({
      date: Type.String({ format: 'date' }),
      pages: Type.Integer(),
      cloud_pages: Type.Integer(),
      cloud_cost_usd: Type.Number(),
      pages_pct: percent,
      cloud_pages_pct: percent,
    }),
    month: Type.Object({
      pages: Type.Integer(),
      cloud_pages: Type.Integer(),
      cloud_cost_usd: Type.Number(),
      pages_pct: percent,
    }),
    retry_after_seconds: Type.Integer({ description: 'Seconds to the reset at midnight UTC.' }),
  },
  { $id: 'Usage' },
)
export type UsageView = Static<typeof UsageView>

export const UsageHistory = Type.Object(
  {
    days: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date' }),
        pages: Type.Integer(),
        cloud_pages: Type.Integer(),
        cloud_cost_usd: Type.Number(),
      }),
      { description: 'Every day up to today (UTC), the first one first.' },
    ),
  },
  { $id: 'UsageHistory' },
)

export const UsageHistoryQuery = Type.Object({
  days: Type.Integer({ default: 30, minimum: 1, maximum: 365, description: 'Days up to today.' }),
})
