/** Stores the result of a signup in one transaction: a project, or an intent that reserves its name until the payment. */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { Intent } from '../domain/intent.ts'
import type { NewAccount } from '../domain/new-account.ts'
import type { Attempts, Limited } from './attempts.ts'
import { enqueueIntentEvent, expireHolder, findIntent, type NewIntent } from './intents.ts'
import { isFree, lockName } from './names.ts'
import { type Opened, openAccount } from './new-account.ts'
import type { CommitInfo } from './write-event.ts'

export type Signups = {
  /** Returns `taken` when the name is taken or reserved. */
  create(attemptId: number, account: NewAccount): Promise<Opened | Limited | 'taken'>
  intend(
    attemptId: number,
    intent: NewIntent,
    trace: string | undefined,
  ): Promise<{ intent: Intent; outboxId: number } | Limited | 'taken'>
  /**
   * Fails an open intent: its name is free again, and it does not count as a checkout. Returns the id of the event's row
   * in the outbox; null, without a change, when the intent has already ended.
   */
  failIntent(attemptId: number, intentId: number, info: CommitInfo): Promise<number | null>
}

export function openSignups(
  { transaction }: Database,
  attempts: Pick<Attempts, 'limitOfDay' | 'succeed' | 'hold' | 'fail'>,
  seal: (text: string) => string,
): Signups {
  return {
    create: (attemptId, account) =>
      transaction(async client => {
        const now = Date.parse(account.at)
        const limited = await attempts.limitOfDay(client, 'project', now)
        if (limited !== null) return limited
        const opened = await openAccount(client, account, seal)
        if (opened === null) return 'taken'
        await attempts.succeed(client, attemptId, now)
        return opened
      }),

    intend: (attemptId, intent, trace) =>
      transaction(async client => {
        const { at, projectName } = intent
        const limited = await attempts.limitOfDay(client, 'checkout', Date.parse(at))
        if (limited !== null) return limited
        await lockName(client, projectName)
        if (!(await isFree(client, projectName, at))) return 'taken'
        await expireHolder(client, projectName, { at, trace })
        const stored = await insert(client, intent)
        const { id: intentId, tier, expiresAt } = stored
        await attempts.hold(client, attemptId, intentId)
        const data = { intentId, projectName, tier, expiresAt }
        const outboxId = await enqueueIntentEvent(client, { at, trace }, { type: 'SignupIntended', data })
        return { intent: stored, outboxId }
      }),

    failIntent: (attemptId, intentId, info) =>
      transaction(async client => {
        const { rowCount } = await client.query(
          `update account.intent set status = 'failed' where id = $1 and status in ('pending', 'checkout_created')`,
          [intentId],
        )
        if (rowCount === 0) return null
        await attempts.fail(client, attemptId)
        return enqueueIntentEvent(client, info, { type: 'IntentFailed', data: { intentId } })
      }),
  }
}

async function insert(client: PoolClient, intent: NewIntent): Promise<Intent> {
  const { tier, projectName, email, mock, clientIpHash, at, expiresAt } = intent
  const { rows } = await client.query(
    `insert into account.intent (tier, project_name, email, status, mock, client_ip_hash, created_at, expires_at)
     values ($1, $2, $3, 'pending', $4, $5, $6, $7) returning id`,
    [tier, projectName, email, mock, clientIpHash, at, expiresAt],
  )
  const stored = await findIntent(client, 'id = $1', Number(rows[0].id))
  if (stored === null) throw new Error('the intent that was just stored is missing')
  return stored
}
