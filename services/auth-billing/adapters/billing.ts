/** Reads the billing data of a project. */
import type { BillingView } from '@tidemark/contracts/http/billing'
import type { Tier } from '@tidemark/contracts/primitives'
import type { Database } from '@tidemark/db/database'

type Row = {
  tier: Tier
  customer: string | null
  subscription: string | null
  status: string | null
  email: string | null
  mode: 'live' | 'mock' | null
}

/** Returns null when the project does not exist. `defaultMode` is the mode of projects without a payment. */
export const billingOf =
  ({ pool }: Database, defaultMode: BillingView['billing_mode']) =>
  async (projectId: number): Promise<BillingView | null> => {
    const { rows } = await pool.query<Row>(
      `select tier, customer, subscription, status, email, mode
       from account.project left join account.billing on project_id = id where id = $1`,
      [projectId],
    )
    if (!rows[0]) return null
    const { tier, customer, subscription, status, email, mode } = rows[0]
    return {
      tier,
      payment_customer_id: customer,
      payment_subscription_id: subscription,
      subscription_status: status,
      email,
      billing_mode: mode ?? defaultMode,
    }
  }
