/** A project whose owner is known: with its key, the mail that brings it, and what is known of who pays. */
import { encodeJson } from '@tidemark/bus/codec'
import type { AccountCommit, AccountEvent } from '@tidemark/contracts/account'
import type { Tier } from '@tidemark/contracts/primitives'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import { createProject } from '../domain/project.ts'
import { enqueueMail, type Mail } from './mail.ts'
import { takeName } from './names.ts'
import { write } from './write-event.ts'

export type NewAccount = {
  name: string
  tier: Tier
  email: string
  key: { prefix: string; hash: string; label: string }
  mail: Mail
  /** The intent that holds the name, and by what it was paid; null for who pays nothing. */
  paid: Paid | null
  at: string
  trace: string | undefined
}
export type Paid = {
  intentId: number
  mode: 'live' | 'mock'
  customer: string | null
  subscription: string | null
}
export type Opened = { projectId: number; outboxId: number }

const schema = 'account'

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
  for (const event of events) await write(client, event)
  await insertBilling(client, projectId, account)
  await enqueueMail(client, mail, seal)
  const commit: AccountCommit = { at, events, ...(trace !== undefined && { trace }) }
  const message = { subject: subjects.account(projectId), payload: encodeJson(commit) }
  return { projectId, outboxId: await enqueue(client, schema, message) }
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
