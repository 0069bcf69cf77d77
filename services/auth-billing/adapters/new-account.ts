/** A project whose owner is known: with its key, the mail that brings it, and what is known of who pays. */
import type { AccountEvent } from '@tidemark/contracts/account'
import type { PoolClient } from 'pg'
import type { NewAccount } from '../domain/new-account.ts'
import { createProject } from '../domain/project.ts'
import { enqueueMail } from './mail.ts'
import { takeName } from './names.ts'
import { record } from './write-event.ts'

export type Opened = { projectId: number; outboxId: number }

/** What the provider says of who has just paid. */
const paidStatus = 'active'

/** Within the caller's transaction. Null, and nothing is written, where the name is another's. */
export async function openAccount(
  client: PoolClient,
  account: NewAccount,
  seal: (text: string) => string,
): Promise<Opened | null> {
  const { name, tier, key, mail, paid, at, trace } = account
  const project = { name, tier, unlimited: false, at }
  const projectId = await takeName(client, project, paid?.intentId)
  if (projectId === null) return null
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
