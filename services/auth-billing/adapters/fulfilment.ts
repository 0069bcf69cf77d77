/**
 * A payment becomes a project, once: the event's row, the project, its key, its mail and the intent are one
 * transaction, so that of any number of copies of an event, at once or later, and of any crash, one comes through.
 */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { type Intent, namesFor } from '../domain/intent.ts'
import type { NewAccount } from '../domain/new-account.ts'
import type { Payment, UnfulfilledReason } from '../domain/payment-event.ts'
import { turnsOf } from '../turns/turns.ts'
import { countPaid } from './attempts.ts'
import { findIntent, tellIntent } from './intents.ts'
import { lockName } from './names.ts'
import { type Opened, openAccount } from './new-account.ts'
import type { Told } from './write-event.ts'

/** Makes what the project will be; asked again with another name where the first is another's. */
export type Prepare = (intent: Intent, name: string) => NewAccount

/**
 * The rows of the outbox that tell of it, none where it was done before; or why nothing is done, which is kept with
 * the event, and whether that is news. `isOwn` says whether the event's session may pay for this intent. An event
 * that came to nothing may come again: it is judged anew.
 */
export type Fulfil = (
  payment: Payment,
  told: Told,
  prepare: Prepare,
  isOwn: (intent: Intent) => boolean,
) => Promise<{ intentId: number; outboxIds: number[] } | Unfulfilled>
export type Unfulfilled = { reason: UnfulfilledReason; isNews: boolean }

export function openFulfilment({ transaction }: Database, seal: (text: string) => string): Fulfil {
  const inTurn = turnsOf<number | null>()
  return (payment, told, prepare, isOwn) =>
    // Copies of one event wait here, and not each with a connection.
    inTurn(payment.intentId, () =>
      transaction(async client => {
        const intent = payment.intentId === null ? null : await lockedIntent(client, payment.intentId)
        if (intent === null || !isOwn(intent)) {
          const reason = intent === null ? 'unknown_intent' : 'other_session'
          return { reason, isNews: await noteUnfulfilled(client, payment, told.at, reason) }
        }
        const isNew = await noteFulfilled(client, payment, told.at)
        if (!isNew || intent.status === 'fulfilled') return { intentId: intent.id, outboxIds: [] }
        const { name, projectId, outboxId } = await open(client, intent, prepare, seal)
        await client.query(
          `update account.intent set status = 'fulfilled', fulfilled_at = $2, project_id = $3, project_name = $4
           where id = $1`,
          [intent.id, told.at, projectId, name],
        )
        await countPaid(client, intent.id, told.at)
        const data = { intentId: intent.id, projectId, tier: intent.tier }
        const outboxIds = [outboxId, await tellIntent(client, told, { type: 'IntentFulfilled', data })]
        return { intentId: intent.id, outboxIds }
      }),
    )
}

/** Its name first: who signs up has that before he looks at the intents of it. */
async function lockedIntent(client: PoolClient, intentId: number): Promise<Intent | null> {
  const seen = await findIntent(client, 'id = $1', intentId)
  if (seen === null) return null
  await lockName(client, seen.projectName)
  return findIntent(client, 'id = $1 for update', intentId)
}

/** False where it was fulfilled before. */
async function noteFulfilled(client: PoolClient, payment: Payment, at: string): Promise<boolean> {
  const { eventId, type, intentId, sessionId } = payment
  const { rowCount } = await client.query(
    `${insertEvent} values ($1, $2, $3, $4, $5, null)
     on conflict (id) do update set reason = null where payment_event.reason is not null`,
    [eventId, type, intentId, sessionId, at],
  )
  return rowCount === 1
}

/** False where it was noted before. */
async function noteUnfulfilled(
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
  throw new Error(`intent ${intent.id} is paid, and there is no name for its project`)
}
