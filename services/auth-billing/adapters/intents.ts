/**
 * Stores intents (signups that wait for a payment) in Postgres. Each change is stored together with its event in the
 * outbox.
 */
import type { IntentEvent } from '@tidemark/contracts/account'
import type { Tier } from '@tidemark/contracts/primitives'
import { subjects } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { Pool, PoolClient } from 'pg'
import type { Intent } from '../domain/intent.ts'
import type { Checkout } from './payments.ts'
import { type CommitInfo, enqueueCommit } from './write-event.ts'

export type NewIntent = {
  tier: Tier
  projectName: string
  email: string
  mock: boolean
  clientIpHash: string
  at: string
  expiresAt: string
}

export type Intents = {
  find(intentId: number): Promise<Intent | null>
  findBySession(sessionId: string): Promise<Intent | null>
  /**
   * Stores a checkout if the intent has none yet, or a real one in place of a mock. A real checkout is never replaced,
   * because a customer may be paying there. Returns the resulting intent, and the id of the event's row in the outbox.
   */
  keepCheckout(
    intentId: number,
    checkout: Checkout & { mock: boolean },
    info: CommitInfo,
  ): Promise<{ intent: Intent | null; outboxId: number | null }>
  /**
   * Ends one intent whose time is over. Returns the id of the event's row in the outbox; null: there is no such intent.
   */
  expireOne(at: string): Promise<number | null>
  /** Deletes unpaid intents whose time was over before this time, with their addresses. */
  forget(before: string): Promise<void>
}

export function openIntents({ pool, transaction }: Database): Intents {
  return {
    find: intentId => findIntent(pool, 'id = $1', intentId),
    findBySession: sessionId => findIntent(pool, 'checkout_session_id = $1', sessionId),

    keepCheckout: (intentId, { sessionId, url, mock }, info) =>
      transaction(async client => {
        const { rowCount } = await client.query(keepCheckout, [intentId, sessionId, url, mock])
        const data = { intentId, sessionId, mock }
        const outboxId =
          rowCount === 0 ? null : await enqueueIntentEvent(client, info, { type: 'CheckoutCreated', data })
        return { intent: await findIntent(client, 'id = $1', intentId), outboxId }
      }),

    expireOne: at =>
      transaction(async client => {
        const { rows } = await client.query(expireOne, [at])
        if (!rows[0]) return null
        const data = { intentId: Number(rows[0].id) }
        return enqueueIntentEvent(client, { at, trace: undefined }, { type: 'IntentExpired', data })
      }),

    async forget(before) {
      await pool.query(
        `delete from account.intent where status in ('expired', 'failed') and expires_at < $1`,
        [before],
      )
    },
  }
}

const keepCheckout = `update account.intent
  set checkout_session_id = $2, checkout_url = $3, mock = $4, status = 'checkout_created'
  where id = $1 and status in ('pending', 'checkout_created') and (checkout_session_id is null or mock and not $4)`

const expireOne = `update account.intent set status = 'expired' where id = (
    select id from account.intent where status in ('pending', 'checkout_created') and expires_at <= $1
    order by expires_at limit 1 for update skip locked
  ) returning id`

type Row = Omit<Intent, 'expiresAt'> & { expiresAt: Date }

/** Returns the first intent that matches, or null. `where` is a condition on `$1`, optionally with a locking clause. */
export async function findIntent(
  from: Pool | PoolClient,
  where: string,
  value: number | string,
): Promise<Intent | null> {
  const { rows } = await from.query<Row>(
    `select id, tier, project_name as "projectName", email, status, checkout_session_id as "sessionId",
       checkout_url as "checkoutUrl", mock, expires_at as "expiresAt"
     from account.intent where ${where}`,
    [value],
  )
  return rows[0] ? { ...rows[0], expiresAt: rows[0].expiresAt.toISOString() } : null
}

/**
 * Expires the open intent that still reserves this name, unless it is `exceptIntentId`. The caller has locked the name
 * and found it free, so the time of that intent is over, and the sweep has not expired it yet.
 */
export async function expireHolder(
  client: PoolClient,
  projectName: string,
  info: CommitInfo,
  exceptIntentId: number | null = null,
): Promise<void> {
  const { rows } = await client.query(
    `update account.intent set status = 'expired'
     where project_name = $1 and status in ('pending', 'checkout_created') and id is distinct from $2
     returning id`,
    [projectName, exceptIntentId],
  )
  for (const { id } of rows)
    await enqueueIntentEvent(client, info, { type: 'IntentExpired', data: { intentId: Number(id) } })
}

/** Stores an event in the outbox, in the caller's transaction. Returns the id of its row. */
export const enqueueIntentEvent = (
  client: PoolClient,
  info: CommitInfo,
  event: IntentEvent,
): Promise<number> => enqueueCommit(client, subjects.intent(event.data.intentId), info, [event])
