/**
 * Who tries to sign up, counted: three attempts for an address within any 24 hours, ten for an IPv6 /48, and a hundred
 * signups that succeed on one day of UTC (specification, Limits). An attempt is every request in good form that comes as
 * far as here while the limits allow it, whatever becomes of it: a challenge that is failed, a name that is taken, a
 * payment provider that is away. What a limit refuses is none, so that nobody locks himself out by asking on. A signup
 * succeeds when its project is made: a free one at once, a paid one when it is paid. Checkouts that are not paid have a
 * limit of their own, so that they use up nobody's signups.
 */
import type { Database } from '@tidemark/db/database'
import type { Pool, PoolClient } from 'pg'
import { attemptsMs, dayStart, secondsToNextDay, waitForAttempt } from '../domain/signup-limits.ts'
import { turnsOf } from '../turns/turns.ts'

export type Limits = { perAddress: number; perNetwork: number; perDay: number; checkoutsPerDay: number }
export type Limited = {
  limit: 'attempts_of_address' | 'attempts_of_network' | 'signups_of_day' | 'checkouts_of_day'
  retryAfterSeconds: number
}

/** Hashes of the client's address and of its IPv6 /48 (null for IPv4). */
export type Origin = { address: string; network: string | null }
/** What a signup is to become: a project at once, or a checkout. */
export type Wanted = 'project' | 'checkout'

export type Attempts = {
  /** Counts an attempt from this origin; `now` in milliseconds. */
  begin(origin: Origin, wanted: Wanted, now: number): Promise<{ attemptId: number } | Limited>
  /** Within the transaction that makes one a success, or a checkout: no other is counted until it ends. Null: there is room. */
  room(client: PoolClient, wanted: Wanted, now: number): Promise<Limited | null>
  /** Counts a success, where there is room. */
  succeed(client: PoolClient, attemptId: number, now: number): Promise<void>
  /** Counts a checkout that is not paid yet, where there is room. */
  hold(client: PoolClient, attemptId: number, intentId: number): Promise<void>
  /** Within a transaction: there is no such checkout after all. */
  fail(client: PoolClient, attemptId: number): Promise<void>
  /** Takes away those that count no more. */
  forget(now: number): Promise<void>
}

const lockOfAttempts = 0x6970
const lockOfNetworks = 0x6e65
const lockOfDay = 0x6461
const keptMs = 2 * attemptsMs

export function openAttempts({ pool, transaction }: Database, limits: Limits): Attempts {
  const inTurn = turnsOf<'attempt'>()
  return {
    // However many try at once, they hold one connection: every gateway asks here whom a key belongs to.
    begin: (origin, wanted, now) =>
      inTurn('attempt', async () => {
        const attempt = { ...origin, wanted, now, ...limits }
        // What is refused without a lock would be with it, for nothing is taken back while one waits.
        const refused = await limitMet(pool, attempt)
        return refused ?? transaction(client => count(client, attempt))
      }),

    async room(client, wanted, now) {
      await client.query('select pg_advisory_xact_lock($1, 0)', [lockOfDay])
      const { rows } = await client.query<OfDay>(`select ${ofDay}`, [new Date(dayStart(now))])
      return dayIsFull(rows[0], { wanted, now, ...limits })
    },

    async succeed(client, attemptId, now) {
      const at = new Date(now)
      await client.query('update account.signup_attempt set succeeded_at = $2 where id = $1', [attemptId, at])
    },

    async hold(client, attemptId, intentId) {
      await client.query('update account.signup_attempt set intent_id = $2 where id = $1', [
        attemptId,
        intentId,
      ])
    },

    async fail(client, attemptId) {
      await client.query('update account.signup_attempt set intent_id = null where id = $1', [attemptId])
    },

    async forget(now) {
      await pool.query('delete from account.signup_attempt where at < $1', [new Date(now - keptMs)])
    },
  }
}

/** Within the transaction that fulfils an intent: its signup has succeeded. */
export async function countPaid(client: PoolClient, intentId: number, at: string): Promise<void> {
  await client.query('update account.signup_attempt set succeeded_at = $2 where intent_id = $1', [
    intentId,
    at,
  ])
}

type Attempt = Limits & Origin & { wanted: Wanted; now: number }

async function count(client: PoolClient, attempt: Attempt): Promise<{ attemptId: number } | Limited> {
  const { address, network, now } = attempt
  // Statements of their own: one that waits for a lock still sees what was there before it waited. The wider lock
  // comes first everywhere, so that no two wait for each other.
  if (network !== null)
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [lockOfNetworks, network])
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [lockOfAttempts, address])
  const limited = await limitMet(client, attempt)
  if (limited !== null) return limited
  const { rows } = await client.query(
    'insert into account.signup_attempt (ip_hash, network_hash, at) values ($1, $2, $3) returning id',
    [address, network, new Date(now)],
  )
  return { attemptId: Number(rows[0].id) }
}

type OfDay = { successes: number; checkouts: number }

/** `$1` is the beginning of the day. */
const ofDay = `
  (select count(*)::int from account.signup_attempt where succeeded_at >= $1) as successes,
  (select count(*)::int from account.signup_attempt
    where intent_id is not null and succeeded_at is null and at >= $1) as checkouts`

const latest = (hash: string, limit: string) => `array(
    select extract(epoch from at)::float8 * 1000 from account.signup_attempt
    where ${hash} and at > $2 order by at desc limit ${limit}
  )`

const state = `select ${ofDay},
  ${latest('ip_hash = $3', '$4')} as of_address,
  ${latest('network_hash = $5', '$6')} as of_network`

async function limitMet(from: Pool | PoolClient, attempt: Attempt): Promise<Limited | null> {
  const { address, network, now, perAddress, perNetwork } = attempt
  const { rows } = await from.query<OfDay & { of_address: number[]; of_network: number[] }>(state, [
    new Date(dayStart(now)),
    new Date(now - attemptsMs),
    address,
    perAddress,
    network,
    perNetwork,
  ])
  const { of_address = [], of_network = [] } = rows[0] ?? {}
  const ofAddress = waitForAttempt(of_address, perAddress, now)
  if (ofAddress !== null) return { limit: 'attempts_of_address', retryAfterSeconds: ofAddress }
  const ofNetwork = network === null ? null : waitForAttempt(of_network, perNetwork, now)
  if (ofNetwork !== null) return { limit: 'attempts_of_network', retryAfterSeconds: ofNetwork }
  return dayIsFull(rows[0], attempt)
}

type Day = Pick<Attempt, 'wanted' | 'now' | 'perDay' | 'checkoutsPerDay'>

function dayIsFull(
  { successes, checkouts }: OfDay = { successes: 0, checkouts: 0 },
  { wanted, now, perDay, checkoutsPerDay }: Day,
): Limited | null {
  const retryAfterSeconds = secondsToNextDay(now)
  if (successes >= perDay) return { limit: 'signups_of_day', retryAfterSeconds }
  if (wanted === 'checkout' && checkouts >= checkoutsPerDay)
    return { limit: 'checkouts_of_day', retryAfterSeconds }
  return null
}
