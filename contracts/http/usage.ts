/** `/v1/usage`: what was spent, beside what may be (specification, Usage). */
import { type Static, Type } from 'typebox'
import { said, Tier } from '../primitives.ts'

const cap = Type.Union([Type.Integer(), Type.Null()], { description: 'Null is without limit.' })
const spent = {
  pages: Type.Integer({ description: 'Pages that were billed.' }),
  cloud_pages: Type.Integer({ description: 'Pages that were billed as fetched past bot protection.' }),
  cloud_cost_usd: Type.Number({ description: 'What these have cost, in US dollars.' }),
}
const date = Type.String({ format: 'date', description: 'A day of UTC.' })
const percent = Type.Union([Type.Number(), Type.Null()], { description: 'Of the cap; null without one.' })

export const UsageView = Type.Object(
  {
    tier: said(Tier, 'What the project is on.'),
    caps: Type.Object(
      { pages_per_day: cap, pages_per_month: cap, cloud_pages_per_day: cap },
      { description: 'What it may spend.' },
    ),
    today: Type.Object(
      {
        date,
        ...spent,
        pages_pct: percent,
        cloud_pages_pct: percent,
      },
      { description: 'Spent since midnight, UTC.' },
    ),
    month: Type.Object(
      {
        ...spent,
        pages_pct: percent,
      },
      { description: 'Spent since the first of the month, UTC.' },
    ),
    retry_after_seconds: Type.Integer({ description: 'Seconds to the reset at midnight UTC.' }),
  },
  { $id: 'Usage' },
)
export type UsageView = Static<typeof UsageView>

export const UsageHistory = Type.Object(
  {
    days: Type.Array(
      Type.Object({
        date,
        ...spent,
      }),
      { description: 'Every day up to today (UTC), the first one first.' },
    ),
  },
  { $id: 'UsageHistory' },
)

export const UsageHistoryQuery = Type.Object({
  days: Type.Integer({ default: 30, minimum: 1, maximum: 365, description: 'Days up to today.' }),
})
