/** Creates a project for a signup: with its key, the mail that delivers the key, and its billing data. */
import type { AccountEvent } from '@tidemark/contracts/account'
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
  await client.query(
    `insert into account.billing (project_id, customer, subscription, status, email, mode, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      projectId,
      paid?.customer ?? null,
      paid?.subscription ?? null,
      paid === null ? null : paidStatus,
      email,
      paid?.mode ?? null,
      at,
    ],
  )
}
