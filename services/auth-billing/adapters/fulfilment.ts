/**
 * A payment becomes a project, once: the event's row, the project, its key, its mail and the intent are one
 * transaction, so that of any number of copies of an event, at once or later, and of any crash, one comes through.
 */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { type Intent, namesFor } from '../domain/intent.ts'
import type { IgnoredReason, Payment } from '../domain/payment-event.ts'
import { findIntent, type Told, tellIntent } from './intents.ts'
import { lockName } from './names.ts'
import { type NewAccount, type Opened, openAccount } from './new-account.ts'
import { turnsOf } from './turns.ts'

/** Makes what the project will be; asked again with another name where the first is another's. */
export type Prepare = (intent: Intent, name: string) => NewAccount

/**
 * The rows of the outbox that tell of it, none where it was done before; or why nothing is done. `isOwn` says
 * whether the event's session may pay for this intent.
 */
export type Fulfil = (
  payment: Payment,
  told: Told,
  prepare: Prepare,
  isOwn: (intent: Intent) => boolean,
) => Promise<{ outboxIds: number[] } | IgnoredReason>

export function openFulfilment({ transaction }: Database, seal: (text: string) => string): Fulfil {
  const inTurn = turnsOf<number>()
  return (payment, told, prepare, isOwn) =>
    // Copies of one event wait here, and not each with a connection.
    inTurn(payment.intentId, () =>
      transaction(async client => {
        const intent = await lockedIntent(client, payment.intentId)
        if (intent === null) return 'unknown_intent'
        if (!isOwn(intent)) return 'other_session'
        const isNew = await noteEvent(client, payment, told.at)
        if (!isNew || intent.status === 'fulfilled') return { outboxIds: [] }
        const { name, projectId, outboxId } = await open(client, intent, prepare, seal)
        await client.query(
          `update account.intent set status = 'fulfilled', fulfilled_at = $2, project_id = $3, project_name = $4
           where id = $1`,
          [intent.id, told.at, projectId, name],
        )
        const data = { intentId: intent.id, projectId, tier: intent.tier }
        return { outboxIds: [outboxId, await tellIntent(client, told, { type: 'IntentFulfilled', data })] }
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

async function noteEvent(client: PoolClient, { eventId, type, intentId }: Payment, at: string) {
  const { rowCount } = await client.query(
    `insert into account.payment_event (id, type, intent_id, received_at) values ($1, $2, $3, $4)
     on conflict (id) do nothing`,
    [eventId, type, intentId, at],
  )
  return rowCount === 1
}

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
