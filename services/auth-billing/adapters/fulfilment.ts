/**
 * Turns a payment into a project exactly once: one transaction writes the event, the project, its key, its mail and the
 * intent. If copies of an event arrive, concurrently or after a crash, exactly one of them creates the project.
 */
import type { Database } from '@tidemark/db/database'
import { serialByKey } from '@tidemark/db/serial'
import type { PoolClient } from 'pg'
import { type Intent, namesFor } from '../domain/intent.ts'
import type { NewAccount } from '../domain/new-account.ts'
import type { Payment, UnfulfilledReason } from '../domain/payment-event.ts'
import { countPaid } from './attempts.ts'
import { enqueueIntentEvent, expireHolder, findIntent } from './intents.ts'
import { lockName } from './names.ts'
import { type Opened, openAccount } from './new-account.ts'
import type { CommitInfo } from './write-event.ts'

/** Creates the account with this name. It is called again with another name when the first is taken. */
export type Prepare = (intent: Intent, name: string) => NewAccount

/**
 * Returns the ids of the rows in the outbox, empty if the payment was fulfilled before. If no project is created, returns
 * the reason, which is stored with the event, and whether it is new. A later copy of such an event is checked again.
 * `isOwn` returns whether the session of the event may pay for this intent.
 */
export type Fulfil = (
  payment: Payment,
  info: CommitInfo,
  prepare: Prepare,
  isOwn: (intent: Intent) => boolean,
) => Promise<{ intentId: number; outboxIds: number[] } | Unfulfilled>
export type Unfulfilled = { reason: UnfulfilledReason; isNew: boolean }

export function openFulfilment({ transaction }: Database, seal: (text: string) => string): Fulfil {
  const serially = serialByKey<number | null>()
  return (payment, info, prepare, isOwn) =>
    // Events of the same intent are processed one after the other, so that copies of an event share one connection.
    serially(payment.intentId, () =>
      transaction(async client => {
        const intent = payment.intentId === null ? null : await lockedIntent(client, payment.intentId)
        if (intent === null || !isOwn(intent)) {
          const reason = intent === null ? 'unknown_intent' : 'other_session'
          return { reason, isNew: await recordUnfulfilled(client, payment, info.at, reason) }
        }
        const isNew = await recordFulfilled(client, payment, info.at)
        if (!isNew || intent.status === 'fulfilled') return { intentId: intent.id, outboxIds: [] }
        const { name, projectId, outboxId } = await open(client, intent, prepare, seal)
        await expireHolder(client, name, info, intent.id)
        await client.query(
          `update account.intent set status = 'fulfilled', fulfilled_at = $2, project_id = $3, project_name = $4
           where id = $1`,
          [intent.id, info.at, projectId, name],
        )
        await countPaid(client, intent.id, info.at)
        const data = { intentId: intent.id, projectId, tier: intent.tier }
        const fulfilled = await enqueueIntentEvent(client, info, { type: 'IntentFulfilled', data })
        return { intentId: intent.id, outboxIds: [outboxId, fulfilled] }
      }),
    )
}

/** Locks the name before the intent, in the same order as a signup. */
async function lockedIntent(client: PoolClient, intentId: number): Promise<Intent | null> {
  const seen = await findIntent(client, 'id = $1', intentId)
  if (seen === null) return null
  await lockName(client, seen.projectName)
  return findIntent(client, 'id = $1 for update', intentId)
}

/** Returns false when the event was fulfilled before. */
async function recordFulfilled(client: PoolClient, payment: Payment, at: string): Promise<boolean> {
  const { eventId, type, intentId, sessionId } = payment
  const { rowCount } = await client.query(
    `${insertEvent} values ($1, $2, $3, $4, $5, null)
     on conflict (id) do update set reason = null where payment_event.reason is not null`,
    [eventId, type, intentId, sessionId, at],
  )
  return rowCount === 1
}

/** Returns false when the event was recorded before. */
async function recordUnfulfilled(
  client: PoolClient,
  { eventId, type, intentId, sessionId }: Payment,
  at: string,
  reason: UnfulfilledReason,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `${insertEvent} values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing`,
    [eventId, type, intentId, sessionId, at, reason],
  )
  return rowCount === 1
}

const insertEvent = 'insert into account.payment_event (id, type, intent_id, session_id, received_at, reason)'

async function open(
  client: PoolClient,
  intent: Intent,
  prepare: Prepare,
  seal: (text: string) => string,
): Promise<Opened & { name: string }> {
  for (const name of namesFor(intent)) {
    const opened = await openAccount(client, prepare(intent, name), seal)
    if (opened !== null) return { ...opened, name }
  }
  throw new Error(`intent ${intent.id} is paid, but all names for its project are taken`)
}
