/** `/v1/usage`: usage and caps (specification, Usage). */
import { type Static, Type } from 'typebox'
import { described, Tier } from '../primitives.ts'
import { warnings } from './lists.ts'

const cap = Type.Union([Type.Integer(), Type.Null()], { description: 'null: no limit.' })
const spent = {
  pages: Type.Integer({ description: 'Number of billed pages.' }),
  cloud_pages: Type.Integer({
    description: 'Number of billed cloud pages, which are fetched past bot protection or rendered.',
  }),
  cloud_cost_usd: Type.Number({ description: 'Their cost in US dollars.' }),
}
const date = Type.String({ format: 'date', description: 'A day in UTC.' })
const percent = Type.Number({ description: 'Usage in percent of the cap; 0 without a cap.' })

export const UsageView = Type.Object(
  {
    tier: described(Tier, 'The tier of the project.'),
    caps: Type.Object(
      { pages_per_day: cap, pages_per_month: cap, cloud_pages_per_day: cap },
      { description: 'The caps of the project.' },
    ),
    today: Type.Object(
      {
        date,
        ...spent,
        pages_pct: percent,
        cloud_pages_pct: percent,
      },
      { description: 'Usage since midnight, UTC.' },
    ),
    month: Type.Object(
      {
        ...spent,
        pages_pct: percent,
      },
      { description: 'Usage since the first of the month, UTC.' },
    ),
    retry_after_seconds: Type.Integer({ description: 'Seconds to the reset at midnight UTC.' }),
    warnings,
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
      { description: 'Every day up to today (UTC), oldest first.' },
    ),
    warnings,
  },
  { $id: 'UsageHistory' },
)

export const UsageHistoryQuery = Type.Object({
  days: Type.Integer({ default: 30, minimum: 1, maximum: 365, description: 'Number of days, up to today.' }),
})
