/**
 * Creates a project for a signup, with its key, the mail that delivers the key, and its billing data. Also reads
 * billing data.
 */
import type { AccountEvent } from '@tidemark/contracts/account'
import type { BillingView } from '@tidemark/contracts/http/billing'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { NewAccount } from '../domain/new-account.ts'
import { createProject } from '../domain/project.ts'
import { enqueueMail } from './mail.ts'
import { takeName } from './names.ts'
import { record } from './write-event.ts'

export type Opened = { projectId: number; outboxId: number }

/** The status of a subscription that was just paid. */
const paidStatus = 'active'

/** Writes the account in the caller's transaction. Returns null and writes nothing when the name is taken. */
export async function openAccount(
  client: PoolClient,
  account: NewAccount,
  seal: (text: string) => string,
): Promise<Opened | null> {
  const { name, tier, key, mail, paid, at, trace } = account
  const project = { name, tier, unlimited: false, at }
  const projectId = await takeName(client, project, paid?.intentId)
  if (typeof projectId === 'string') return null
  const events: AccountEvent[] = createProject({ ...project, projectId, key })
  if (paid !== null)
    events.push({ type: 'BillingSet', data: { projectId, mode: paid.mode, subscriptionStatus: paidStatus } })
  const outboxId = await record(client, projectId, { at, trace }, events)
  await insertBilling(client, projectId, account)
  await enqueueMail(client, mail, seal)
  return { projectId, outboxId }
}

async function insertBilling(client: PoolClient, projectId: number, { email, paid, at }: NewAccount) {
  const { customer = null, subscription = null, mode = null } = paid ?? {}
  await client.query(
    `insert into account.billing (project_id, customer, subscription, status, email, mode, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [projectId, customer, subscription, paid && paidStatus, email, mode, at],
  )
}

/** Reads billing data. Returns null when the project does not exist. `defaultMode` is the mode of projects without a payment. */
export const billingOf =
  ({ pool }: Database, defaultMode: BillingView['billing_mode']) =>
  async (projectId: number): Promise<BillingView | null> => {
    const { rows } = await pool.query<BillingView>(
      `select tier, customer as payment_customer_id, subscription as payment_subscription_id,
         status as subscription_status, email, coalesce(mode, $2) as billing_mode
       from account.project left join account.billing on project_id = id where id = $1`,
      [projectId, defaultMode],
    )
    return rows[0] ?? null
  }
