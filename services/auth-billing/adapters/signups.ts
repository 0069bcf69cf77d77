/** What a signup comes to, each in one transaction: a project, or a name that is held for who has still to pay. */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { Intent } from '../domain/intent.ts'
import type { NewAccount } from '../domain/new-account.ts'
import type { Attempts, Limited } from './attempts.ts'
import { findIntent, type NewIntent, tellIntent } from './intents.ts'
import { isFree, lockName } from './names.ts'
import { type Opened, openAccount } from './new-account.ts'
import type { Told } from './write-event.ts'

export type Signups = {
  /** `taken` where the name is another's. */
  create(attemptId: number, account: NewAccount): Promise<Opened | Limited | 'taken'>
  intend(
    attemptId: number,
    intent: NewIntent,
    trace: string | undefined,
  ): Promise<{ intent: Intent; outboxId: number } | Limited | 'taken'>
  /**
   * An intent that is still open comes to nothing: its name is free again, and it counts as no checkout. The row of
   * the outbox that tells of it; null where the intent has ended already, and nothing is changed.
   */
  giveUp(attemptId: number, intentId: number, told: Told): Promise<number | null>
}

export function openSignups(
  { transaction }: Database,
  attempts: Pick<Attempts, 'room' | 'succeed' | 'hold' | 'fail'>,
  seal: (text: string) => string,
): Signups {
  return {
    create: (attemptId, account) =>
      transaction(async client => {
        const now = Date.parse(account.at)
        const limited = await attempts.room(client, 'project', now)
        if (limited !== null) return limited
        const opened = await openAccount(client, account, seal)
        if (opened === null) return 'taken'
        await attempts.succeed(client, attemptId, now)
        return opened
      }),

    intend: (attemptId, intent, trace) =>
      transaction(async client => {
        const { at, projectName } = intent
        const limited = await attempts.room(client, 'checkout', Date.parse(at))
        if (limited !== null) return limited
        await lockName(client, projectName)
        if (!(await isFree(client, projectName, at))) return 'taken'
        await expireHolder(client, projectName, { at, trace })
        const held = await hold(client, intent)
        const { id: intentId, tier, expiresAt } = held
        await attempts.hold(client, attemptId, intentId)
        const data = { intentId, projectName, tier, expiresAt }
        const outboxId = await tellIntent(client, { at, trace }, { type: 'SignupIntended', data })
        return { intent: held, outboxId }
      }),

    giveUp: (attemptId, intentId, told) =>
      transaction(async client => {
        const { rowCount } = await client.query(
          `update account.intent set status = 'failed' where id = $1 and status in ('pending', 'checkout_created')`,
          [intentId],
        )
        if (rowCount === 0) return null
        await attempts.fail(client, attemptId)
        return tellIntent(client, told, { type: 'IntentFailed', data: { intentId } })
      }),
  }
}

/** One whose time is over and that nobody has ended yet. */
async function expireHolder(client: PoolClient, projectName: string, told: Told): Promise<void> {
  const { rows } = await client.query(
    `update account.intent set status = 'expired'
     where project_name = $1 and status in ('pending', 'checkout_created') returning id`,
    [projectName],
  )
  for (const { id } of rows)
    await tellIntent(client, told, { type: 'IntentExpired', data: { intentId: Number(id) } })
}

async function hold(client: PoolClient, intent: NewIntent): Promise<Intent> {
  const { tier, projectName, email, mock, clientIpHash, at, expiresAt } = intent
  const { rows } = await client.query(
    `insert into account.intent (tier, project_name, email, status, mock, client_ip_hash, created_at, expires_at)
     values ($1, $2, $3, 'pending', $4, $5, $6, $7) returning id`,
    [tier, projectName, email, mock, clientIpHash, at, expiresAt],
  )
  const held = await findIntent(client, 'id = $1', Number(rows[0].id))
  if (held === null) throw new Error('an intent is not where it was just written')
  return held
}
