/**
 * Who tries to sign up, counted: three attempts for an address within any 24 hours, and a hundred signups that
 * succeed on one day of UTC (specification, Limits). An attempt is every request in good form that comes as far as
 * here while both limits allow it, whatever becomes of it: a challenge that is failed, a name that is taken, a payment
 * provider that is away. What a limit refuses is none, so that nobody locks himself out by asking on. A signup succeeds
 * when it is answered with a project, or with a checkout.
 */
import type { Database } from '@tidemark/db/database'
import type { Pool, PoolClient } from 'pg'
import { attemptsMs, dayStart, secondsToNextDay, waitForAttempt } from '../domain/signup-limits.ts'
import { turnsOf } from '../turns/turns.ts'

export type Limits = { perAddress: number; perDay: number }
export type Limited = { limit: 'attempts_of_address' | 'signups_of_day'; retryAfterSeconds: number }

export type Attempts = {
  /** Counts an attempt of whoever this hash stands for; `now` in milliseconds. */
  begin(ipHash: string, now: number): Promise<{ attemptId: number } | Limited>
  /** Within the transaction that makes one a success: nobody else's is counted until it ends. Null: there is room. */
  room(client: PoolClient, now: number): Promise<Limited | null>
  /** Counts it, where there is room. */
  succeed(client: PoolClient, attemptId: number, now: number): Promise<void>
  /** Within a transaction: it was no success after all. */
  fail(client: PoolClient, attemptId: number): Promise<void>
  /** Takes away those that count no more. */
  forget(now: number): Promise<void>
}

const lockOfAttempts = 0x6970
const lockOfDay = 0x6461
const keptMs = 2 * attemptsMs

export function openAttempts({ pool, transaction }: Database, limits: Limits): Attempts {
  const inTurn = turnsOf<'attempt'>()
  return {
    // However many try at once, they hold one connection: every gateway asks here whom a key belongs to.
    begin: (ipHash, now) =>
      inTurn('attempt', async () => {
        // What is refused without a lock would be with it, for nothing is taken back while one waits.
        const refused = await limitMet(pool, { ipHash, now, ...limits })
        return refused ?? transaction(client => count(client, { ipHash, now, ...limits }))
      }),

    async room(client, now) {
      await client.query('select pg_advisory_xact_lock($1, 0)', [lockOfDay])
      const { rows } = await client.query<{ count: number }>(`select (${successes}) as count`, [
        new Date(dayStart(now)),
      ])
      return (rows[0]?.count ?? 0) >= limits.perDay ? dayIsFull(now) : null
    },

    async succeed(client, attemptId, now) {
      const at = new Date(now)
      await client.query('update account.signup_attempt set succeeded_at = $2 where id = $1', [attemptId, at])
    },

    async fail(client, attemptId) {
      await client.query('update account.signup_attempt set succeeded_at = null where id = $1', [attemptId])
    },

    async forget(now) {
      await pool.query('delete from account.signup_attempt where at < $1', [new Date(now - keptMs)])
    },
  }
}

type Attempt = Limits & { ipHash: string; now: number }

async function count(client: PoolClient, attempt: Attempt): Promise<{ attemptId: number } | Limited> {
  const { ipHash, now } = attempt
  // A statement of its own: one that waits for a lock still sees what was there before it waited.
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [lockOfAttempts, ipHash])
  const limited = await limitMet(client, attempt)
  if (limited !== null) return limited
  const { rows } = await client.query(
    'insert into account.signup_attempt (ip_hash, at) values ($1, $2) returning id',
    [ipHash, new Date(now)],
  )
  return { attemptId: Number(rows[0].id) }
}

const successes = 'select count(*)::int from account.signup_attempt where succeeded_at >= $1'

const state = `select (${successes}) as successes,
  array(
    select extract(epoch from at)::float8 * 1000 from account.signup_attempt
    where ip_hash = $2 and at > $3 order by at desc limit $4
  ) as recent`

async function limitMet(from: Pool | PoolClient, attempt: Attempt): Promise<Limited | null> {
  const { ipHash, now, perAddress, perDay } = attempt
  const values = [new Date(dayStart(now)), ipHash, new Date(now - attemptsMs), perAddress]
  const { rows } = await from.query<{ successes: number; recent: number[] }>(state, values)
  const { successes = 0, recent = [] } = rows[0] ?? {}
  const wait = waitForAttempt(recent, perAddress, now)
  if (wait !== null) return { limit: 'attempts_of_address', retryAfterSeconds: wait }
  return successes >= perDay ? dayIsFull(now) : null
}

const dayIsFull = (now: number): Limited => ({
  limit: 'signups_of_day',
  retryAfterSeconds: secondsToNextDay(now),
})
