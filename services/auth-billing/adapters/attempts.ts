/**
 * Counts signups and limits them (specification, Limits): three attempts per address within any 24 hours, ten per IPv6
 * /48, and a hundred successful signups per UTC day. Every valid request that the limits allow is an attempt, whatever
 * its result: a failed challenge, a taken name, a payment provider that does not respond. A request that a limit refuses
 * is not counted, so that no client locks itself out by repeating it. A signup succeeds when its project is created: a
 * free one at once, a paid one at its payment. Unpaid checkouts have their own limit, so that they use up no signups.
 */
import { secondsToMidnight } from '@tidemark/contracts/calendar'
import type { Database } from '@tidemark/db/database'
import { serialByKey } from '@tidemark/db/serial'
import type { Pool, PoolClient } from 'pg'
import { attemptsMs, dayStart, waitForAttempt } from '../domain/signup-limits.ts'

export type Limits = { perAddress: number; perNetwork: number; perDay: number; checkoutsPerDay: number }
export type Limited = {
  limit: 'attempts_of_address' | 'attempts_of_network' | 'signups_of_day' | 'checkouts_of_day'
  retryAfterSeconds: number
}

/** Hashes of the client's address and of its IPv6 /48 (null for IPv4). */
export type Origin = { address: string; network: string | null }
/** The result that a signup requests: a project at once, or a checkout. */
export type Wanted = 'project' | 'checkout'

export type Attempts = {
  /** Counts an attempt from this origin, or returns the limit that refuses it; `now` in ms since 1970. */
  begin(origin: Origin, wanted: Wanted, now: number): Promise<{ attemptId: number } | Limited>
  /**
   * Locks the counts of the day until the transaction ends. Returns the limit of the day that is reached, or null. The
   * same transaction then calls `succeed` or `hold`.
   */
  limitOfDay(client: PoolClient, wanted: Wanted, now: number): Promise<Limited | null>
  /** Counts a success. */
  succeed(client: PoolClient, attemptId: number, now: number): Promise<void>
  /** Counts an unpaid checkout. */
  hold(client: PoolClient, attemptId: number, intentId: number): Promise<void>
  /** Removes the unpaid checkout from the count, in the caller's transaction. */
  fail(client: PoolClient, attemptId: number): Promise<void>
  /** Deletes the attempts that no limit counts any more. */
  forget(now: number): Promise<void>
}

const lockOfAttempts = 0x6970
const lockOfNetworks = 0x6e65
const lockOfDay = 0x6461
const keptMs = 2 * attemptsMs

export function openAttempts({ pool, transaction }: Database, limits: Limits): Attempts {
  const serially = serialByKey<'attempt'>()
  return {
    // All attempts share one connection, because the gateways' requests for keys need the others.
    begin: (origin, wanted, now) =>
      serially('attempt', async () => {
        const attempt = { ...origin, wanted, now, ...limits }
        // An attempt that is refused without the lock would be refused with it, because no count decreases meanwhile.
        const refused = await limitMet(pool, attempt)
        return refused ?? transaction(client => count(client, attempt))
      }),

    async limitOfDay(client, wanted, now) {
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

/** Counts the success of a paid signup, in the transaction that fulfils its intent. */
export async function countPaid(client: PoolClient, intentId: number, at: string): Promise<void> {
  await client.query('update account.signup_attempt set succeeded_at = $2 where intent_id = $1', [
    intentId,
    at,
  ])
}

type Attempt = Limits & Origin & { wanted: Wanted; now: number }

async function count(client: PoolClient, attempt: Attempt): Promise<{ attemptId: number } | Limited> {
  const { address, network, now } = attempt
  // Each lock is a statement of its own, because a statement that waits for a lock sees the rows from before its wait.
  // The wider lock comes first everywhere, so that no two transactions deadlock.
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

/** `$1` is the start of the day. */
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
  const retryAfterSeconds = secondsToMidnight(now)
  if (successes >= perDay) return { limit: 'signups_of_day', retryAfterSeconds }
  if (wanted === 'checkout' && checkouts >= checkoutsPerDay)
    return { limit: 'checkouts_of_day', retryAfterSeconds }
  return null
}
