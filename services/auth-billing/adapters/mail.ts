/**
 * Mails wait in Postgres until they are sent: one is written in the transaction that decides it, so that no crash
 * loses it, and once for each key, so that no repetition doubles it. The text is sealed while it waits and goes when
 * it has been sent.
 */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { lateMinutes, type UnsentMails } from '../domain/mail-warning.ts'
import type { Mail } from '../domain/new-account.ts'

/** A mail whose turn has come. */
export type WaitingMail = {
  id: number
  key: string
  to: string
  subject: string
  sealed: string
  createdAt: Date
  /** Tries that failed. */
  attempts: number
}

/** What became of a try; without `inSeconds` it was the last one. */
export type Tried = 'sent' | { error: string; inSeconds: number | null }

/** Within the caller's transaction: the mail is sent if that commits, shortly afterwards. */
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
 * Takes the mail that has been due for longest and holds it, for nobody else, until what `send` says is written down;
 * false when none is due. Who dies meanwhile lets go of it, and it is sent again.
 */
export const sendNextMail =
  ({ transaction }: Pick<Database, 'transaction'>) =>
  (send: (mail: WaitingMail) => Promise<Tried>): Promise<boolean> =>
    transaction(async client => {
      const { rows } = await client.query<WaitingMail>(takeNext)
      const [mail] = rows
      if (mail === undefined) return false
      await writeDown(client, mail.id, await send(mail))
      return true
    })

const takeNext = `
  select id, key, recipient as "to", subject, body as sealed, created_at as "createdAt", attempts
  from account.mail where next_at <= clock_timestamp()
  order by next_at limit 1 for update skip locked`

async function writeDown(client: PoolClient, id: number, tried: Tried): Promise<void> {
  if (tried === 'sent') {
    await client.query(
      `update account.mail set body = null, next_at = null, sent_at = clock_timestamp(), last_error = null,
         attempts = attempts + 1
       where id = $1`,
      [id],
    )
    return
  }
  // What was given up keeps its sealed text, so that whoever mends the cause can have it sent after all.
  await client.query(
    `update account.mail set attempts = attempts + 1, last_error = $2,
       next_at = clock_timestamp() + make_interval(secs => $3),
       given_up_at = case when $3::float8 is null then clock_timestamp() end
     where id = $1`,
    [id, tried.error, tried.inSeconds],
  )
}

/** How many have not left that should have. */
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

/** Has all that have not left tried anew and at once, but for those that are being sent now; how many they are. */
export const resendMails =
  ({ pool }: Pick<Database, 'pool'>) =>
  async (): Promise<number> => {
    const { rowCount } = await pool.query(
      `update account.mail set next_at = clock_timestamp(), attempts = 0, given_up_at = null
       where id in (select id from account.mail where sent_at is null for update skip locked)`,
    )
    return rowCount ?? 0
  }
