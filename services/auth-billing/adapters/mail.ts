/**
 * Stores mails in Postgres until they are sent. The transaction that causes a mail also writes it, so that no crash
 * loses it. A mail is written once per key, so that no repetition duplicates it. Its text is sealed while it waits, and
 * deleted when it is sent.
 */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { lateMinutes, type UnsentMails } from '../domain/mail-warning.ts'
import type { Mail } from '../domain/new-account.ts'

/** A mail that is due. */
export type WaitingMail = {
  id: number
  key: string
  to: string
  subject: string
  sealed: string
  createdAt: Date
  /** Number of failed attempts. */
  attempts: number
}

/** The result of an attempt. `inSeconds` is the time until the next one; null after the last. */
export type SendResult = 'sent' | { error: string; inSeconds: number | null }

/** Stores a mail in the caller's transaction. It is sent shortly after the commit. */
export async function enqueueMail(
  client: PoolClient,
  { key, to, subject, text }: Mail,
  seal: (text: string) => string,
): Promise<void> {
  await client.query(
    `insert into account.mail (key, recipient, subject, body) values ($1, $2, $3, $4)
     on conflict (key) do nothing`,
    [key, to, subject, seal(text)],
  )
}

/**
 * Locks the mail that has been due longest until the result of `send` is stored. Returns false when none is due. If the
 * process dies meanwhile, the lock is released and the mail is sent again.
 */
export const sendNextMail =
  ({ pool, transaction }: Pick<Database, 'pool' | 'transaction'>) =>
  async (send: (mail: WaitingMail) => Promise<SendResult>): Promise<boolean> => {
    const due = await pool.query('select from account.mail where next_at <= clock_timestamp() limit 1')
    if (due.rowCount === 0) return false
    return transaction(async client => {
      const { rows } = await client.query<WaitingMail>(takeNext)
      const [mail] = rows
      if (mail === undefined) return false
      await storeResult(client, mail.id, await send(mail))
      return true
    })
  }

const takeNext = `
  select id, key, recipient as "to", subject, body as sealed, created_at as "createdAt", attempts
  from account.mail where next_at <= clock_timestamp()
  order by next_at limit 1 for update skip locked`

async function storeResult(client: PoolClient, id: number, result: SendResult): Promise<void> {
  if (result === 'sent') {
    await client.query(
      `update account.mail set body = null, next_at = null, sent_at = clock_timestamp(), last_error = null,
         attempts = attempts + 1
       where id = $1`,
      [id],
    )
    return
  }
  // A mail that was given up keeps its sealed text, so that an operator can send it after removing the cause.
  await client.query(
    `update account.mail set attempts = attempts + 1, last_error = $2,
       next_at = clock_timestamp() + make_interval(secs => $3),
       given_up_at = case when $3::float8 is null then clock_timestamp() end
     where id = $1`,
    [id, result.error, result.inSeconds],
  )
}

/** Counts the mails that were given up or are late. */
export const unsentMails =
  ({ pool }: Pick<Database, 'pool'>) =>
  async (): Promise<UnsentMails> => {
    const { rows } = await pool.query<UnsentMails>(countUnsent, [lateMinutes])
    return rows[0] ?? { givenUp: 0, late: 0 }
  }

const countUnsent = `
  select count(*) filter (where given_up_at is not null)::int as "givenUp",
    count(*) filter (where given_up_at is null and created_at < now() - make_interval(mins => $1))::int as late
  from account.mail where sent_at is null`

/** Makes all unsent mails due now, except those that are being sent. Returns their number. */
export const resendMails =
  ({ pool }: Pick<Database, 'pool'>) =>
  async (): Promise<number> => {
    const { rowCount } = await pool.query(
      `update account.mail set next_at = clock_timestamp(), attempts = 0, given_up_at = null
       where id in (select id from account.mail where sent_at is null for update skip locked)`,
    )
    return rowCount ?? 0
  }
